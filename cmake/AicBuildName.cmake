# Sets AIC_BUILD_NAME_SOURCE, a C file with the name of this build (codegen/build_name.h). It is written again when a source
# that decides what the code of a kernel is changes.

file(GLOB_RECURSE build_name_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     frontend/*.c frontend/*.h frontend/*.def codegen/*.c codegen/*.h codegen/*.def)
list(SORT build_name_sources)
list(JOIN build_name_sources "\n" build_name_list)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/build_name.txt" @ONLY CONTENT "${build_name_list}\n")

set(AIC_BUILD_NAME_SOURCE "${PROJECT_BINARY_DIR}/build_name.c")
list(TRANSFORM build_name_sources PREPEND "${PROJECT_SOURCE_DIR}/")
add_custom_command(OUTPUT "${AIC_BUILD_NAME_SOURCE}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${AIC_BUILD_NAME_SOURCE}" "-DROOT=${PROJECT_SOURCE_DIR}"
            "-DVERSION=${PROJECT_VERSION}" "-DLLVM=${AIC_LLVM_FULL_VERSION}" "-DSOURCES=${PROJECT_BINARY_DIR}/build_name.txt"
            -P "${PROJECT_SOURCE_DIR}/cmake/AicBuildNameWrite.cmake"
    DEPENDS ${build_name_sources} "${PROJECT_BINARY_DIR}/build_name.txt" cmake/AicBuildNameWrite.cmake
    COMMENT "Naming the build" VERBATIM)
