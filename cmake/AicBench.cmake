# Benchmarks: every tests/bench/*.c with a main() is a program of its own, built as bench/NAME; the other sources there
# are shared by all. oneDNN, when it is installed, is a peer to compare with: sources that need it are named *dnnl*.c.

file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/bench/*.c")
find_library(AIC_DNNL_LIBRARY NAMES dnnl)
find_path(AIC_DNNL_INCLUDE_DIR NAMES dnnl.h)
mark_as_advanced(AIC_DNNL_LIBRARY AIC_DNNL_INCLUDE_DIR)

set(bench_programs "")
set(bench_shared "")
foreach(source IN LISTS bench_sources)
    if(source MATCHES "dnnl[^/]*$" AND NOT (AIC_DNNL_LIBRARY AND AIC_DNNL_INCLUDE_DIR))
        message(STATUS "oneDNN is not installed: ${source} is left out")
        continue()
    endif()
    file(STRINGS "${source}" main_line REGEX "^int main\\(" LIMIT_COUNT 1)
    if(main_line)
        list(APPEND bench_programs "${source}")
    else()
        list(APPEND bench_shared "${source}")
    endif()
endforeach()

foreach(source IN LISTS bench_programs)
    get_filename_component(name "${source}" NAME_WE)
    aic_add_program(bench_${name} aicjit "${source}" ${bench_shared})
    set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
    if(source MATCHES "dnnl[^/]*$" OR bench_shared MATCHES "dnnl[^/]*\\.c")
        target_include_directories(bench_${name} SYSTEM PRIVATE "${AIC_DNNL_INCLUDE_DIR}")
        target_link_libraries(bench_${name} PRIVATE "${AIC_DNNL_LIBRARY}")
    endif()
endforeach()
