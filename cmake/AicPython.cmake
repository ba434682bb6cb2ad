# The Python package aicjit: its files, some made from the operators' lists, in BUILD/python/aicjit, where they work with the
# library in BUILD. AIC_PYTHON_PACKAGE installs them with the library and all that it needs (component "python"); pip sets it,
# see pyproject.toml.

find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
    message(STATUS "there is no Python: its package is left out")
    return()
endif()

set(python_dir "${PROJECT_SOURCE_DIR}/tools/python")
set(package_build_dir "${PROJECT_BINARY_DIR}/python/aicjit")
file(GLOB python_sources CONFIGURE_DEPENDS "${python_dir}/aicjit/*.py" "${python_dir}/aicjit/*.pyi"
    "${python_dir}/aicjit/onnx/*.py" "${python_dir}/aicjit/py.typed")
file(GLOB python_lists CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/frontend/include/aic/*.def"
    "${PROJECT_SOURCE_DIR}/frontend/include/aic/*.h")
set(python_stamp "${PROJECT_BINARY_DIR}/python/stamp")
add_custom_command(OUTPUT "${python_stamp}"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${package_build_dir}"
    COMMAND "${Python3_EXECUTABLE}" "${python_dir}/generate.py" "${PROJECT_SOURCE_DIR}" "${package_build_dir}" ${python_sources}
    COMMAND "${CMAKE_COMMAND}" -E touch "${python_stamp}"
    DEPENDS "${python_dir}/generate.py" ${python_sources} ${python_lists}
    VERBATIM)
add_custom_target(aicjit_python ALL DEPENDS "${python_stamp}")

# What looks at operands in C: of no Python's headers, hence one for all of them.
add_library(aicjit_python_call MODULE "${python_dir}/call.c")
set_target_properties(aicjit_python_call PROPERTIES OUTPUT_NAME aicjit-python C_VISIBILITY_PRESET hidden)
target_link_libraries(aicjit_python_call PRIVATE aicjit_plain_options)
add_dependencies(aicjit_python aicjit_python_call)

if(NOT AIC_PYTHON_PACKAGE)
    return()
endif()

# Nothing of the system but the C library: what is not linked in lies beside the library.
set_target_properties(aicjit aicjit_tool PROPERTIES INSTALL_RPATH "$ORIGIN")
target_sources(aicjit_module PRIVATE "${python_dir}/older_libc.c")
# pip builds this target alone: it needs whatever is installed below.
add_dependencies(aicjit_python aicjit aicjit_module aicjit_tool)
if(TARGET aicjit_ready_parts) # not on every machine
    add_dependencies(aicjit_python aicjit_ready_parts)
endif()
foreach(target aicjit aicjit_module aicjit_tool aicjit_python_call)
    target_link_options(${target} PRIVATE -static-libgcc LINKER:-s LINKER:--gc-sections)
endforeach()
set(soversion "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
install(DIRECTORY "${package_build_dir}/" DESTINATION aicjit COMPONENT python)
install(PROGRAMS "$<TARGET_FILE:aicjit>" DESTINATION aicjit COMPONENT python RENAME "libaicjit.so.${soversion}")
install(PROGRAMS "$<TARGET_FILE:aicjit_module>" DESTINATION aicjit COMPONENT python)
install(PROGRAMS "$<TARGET_FILE:aicjit_python_call>" DESTINATION aicjit COMPONENT python)
install(FILES ${AIC_READY_FILES} DESTINATION aicjit COMPONENT python ${ready_optional})
install(PROGRAMS "$<TARGET_FILE:aicjit_tool>" DESTINATION aicjit COMPONENT python RENAME aicjit-tool) # python -m aicjit

# The threads' library is loaded by this name, from the library's own folder.
find_library(AIC_PTHREADPOOL_LIBRARY NAMES pthreadpool libpthreadpool.so.0)
mark_as_advanced(AIC_PTHREADPOOL_LIBRARY)
if(AIC_PTHREADPOOL_INCLUDE_DIR AND AIC_PTHREADPOOL_LIBRARY)
    file(REAL_PATH "${AIC_PTHREADPOOL_LIBRARY}" pool_file)
    install(PROGRAMS "${pool_file}" DESTINATION aicjit COMPONENT python RENAME libpthreadpool.so.0)
endif()

# The terms of what is in the package, where a Debian system tells them.
foreach(package libpthreadpool0 libffi8 libffi-dev libzstd1 zlib1g libstdc++6 "libllvm${AIC_LLVM_MAJOR}")
    if(EXISTS "/usr/share/doc/${package}/copyright")
        install(FILES "/usr/share/doc/${package}/copyright" DESTINATION aicjit/licences COMPONENT python RENAME "${package}")
    endif()
endforeach()
