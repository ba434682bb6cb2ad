# cmake --install: libraries, headers with their .def lists, the tool, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/aicjit")

install(TARGETS aicjit EXPORT aicjit
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS aicjit_static ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/frontend/include/aic" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
if(TARGET aicjit_tool)
    install(TARGETS aicjit_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

install(EXPORT aicjit NAMESPACE aicjit:: FILE aicjitTargets.cmake DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/aicjitConfig.cmake.in" aicjitConfig.cmake
                              INSTALL_DESTINATION "${package_dir}")
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
