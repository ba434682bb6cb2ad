# The emulator of AMX for tests on x86-64: a library to preload, and the program that tests it. Neither has a sanitizer in
# it: one preloads the library into programs that may have none.

enable_language(ASM)
file(GLOB emulate_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/emulate/*.c")
file(GLOB emulate_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/emulate/program/*.[cS]")

# Multiplications are loops over rows that the compiler must make vectors of.
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/emulate/tiles.c" PROPERTIES COMPILE_OPTIONS -O3)

add_library(aicjit_emulate SHARED ${emulate_sources})
set_target_properties(aicjit_emulate PROPERTIES OUTPUT_NAME aicjit-emulate)
target_include_directories(aicjit_emulate PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_options(aicjit_emulate PRIVATE LINKER:-z,defs)
target_link_libraries(aicjit_emulate PRIVATE aicjit_plain_options Threads::Threads ${CMAKE_DL_LIBS})

add_executable(aicjit-emulate-tests ${emulate_tests})
target_include_directories(aicjit-emulate-tests PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(aicjit-emulate-tests PRIVATE aicjit_plain_options PkgConfig::CHECK Threads::Threads m)
