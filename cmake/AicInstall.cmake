# cmake --install: libraries, headers, the tool with its manual page and completion, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/aicjit")

install(TARGETS aicjit EXPORT aicjit
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS aicjit_static ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")

# Installed headers have their structs spelled out, with the meaning of every member, and all else that the sources' headers
# make of lists. The list of Winograd's matrices is for people.
find_program(AIC_AWK NAMES awk mawk gawk REQUIRED)
file(GLOB public_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/frontend/include/aic/*.h")
list(FILTER public_headers EXCLUDE REGEX "/field\\.h$")
file(GLOB field_lists CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/frontend/include/aic/*.def"
    "${PROJECT_SOURCE_DIR}/frontend/include/aic/*.inc")
set(spelled_headers)
foreach(header ${public_headers})
    get_filename_component(name "${header}" NAME)
    set(spelled "${PROJECT_BINARY_DIR}/include/aic/${name}")
    add_custom_command(OUTPUT "${spelled}"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/include/aic"
        COMMAND "${AIC_AWK}" -v "include=${PROJECT_SOURCE_DIR}/frontend/include" -f "${PROJECT_SOURCE_DIR}/cmake/headers.awk"
                "${header}" > "${spelled}"
        DEPENDS "${header}" ${field_lists} "${PROJECT_SOURCE_DIR}/cmake/headers.awk" VERBATIM)
    list(APPEND spelled_headers "${spelled}")
endforeach()
add_custom_target(aicjit_headers ALL DEPENDS ${spelled_headers})
install(FILES ${spelled_headers} frontend/include/aic/winograd.def DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/aic")

# The manual page and the shells' completions are what the tool's own tables say.
if(TARGET aicjit_tool)
    install(TARGETS aicjit_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
    if(NOT CMAKE_CROSSCOMPILING)
        set(made)
        foreach(format man bash zsh fish)
            set(file "${PROJECT_BINARY_DIR}/aicjit.${format}")
            add_custom_command(OUTPUT "${file}" COMMAND aicjit_tool help --format ${format} > "${file}"
                DEPENDS aicjit_tool VERBATIM)
            list(APPEND made "${file}")
        endforeach()
        add_custom_target(aicjit_manual ALL DEPENDS ${made})
        install(FILES "${PROJECT_BINARY_DIR}/aicjit.man" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" RENAME aicjit.1)
        install(FILES "${PROJECT_BINARY_DIR}/aicjit.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
                RENAME aicjit)
        install(FILES "${PROJECT_BINARY_DIR}/aicjit.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
                RENAME _aicjit)
        install(FILES "${PROJECT_BINARY_DIR}/aicjit.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    endif()
endif()

install(EXPORT aicjit NAMESPACE aicjit:: FILE aicjitTargets.cmake DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/aicjitConfig.cmake.in" aicjitConfig.cmake
                              INSTALL_DESTINATION "${package_dir}"
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(aicjitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/aicjitConfig.cmake" "${PROJECT_BINARY_DIR}/aicjitConfigVersion.cmake"
        DESTINATION "${package_dir}")

# The paths of aicjit.pc follow from its own place, so that the tree can be moved.
list(JOIN AIC_LLVM_LIBS " " llvm_libs)
list(TRANSFORM CMAKE_DL_LIBS PREPEND "-l" OUTPUT_VARIABLE dl_libs) # empty where the C library has dlopen()
list(JOIN dl_libs " " dl_libs)
file(RELATIVE_PATH prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/aicjit.pc.in" aicjit.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/aicjit.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
