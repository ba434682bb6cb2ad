# Benchmarks: every tests/bench/*.c with a main() is a program of its own, built as bench/NAME; the other sources there
# are shared by all. tests/bench/layers and tests/bench/making (`make_kernels`) are one program more each.
#
# oneDNN is a peer to compare with, where it is there: the one that `tools/dev bench --peers` has fetched, else the
# system's. Sources that need it are named *dnnl*; the two do without.

file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/bench/*.c")
find_library(AIC_DNNL_LIBRARY NAMES dnnl)
find_path(AIC_DNNL_INCLUDE_DIR NAMES dnnl.h)
mark_as_advanced(AIC_DNNL_LIBRARY AIC_DNNL_INCLUDE_DIR)
set(AIC_BENCH_PEERS "${PROJECT_BINARY_DIR}/peers" CACHE PATH "Where tools/dev bench --peers has put what it fetched")

set(bench_dnnl "")
if(EXISTS "${AIC_BENCH_PEERS}/onednn/lib/libdnnl.so.3" AND EXISTS "${AIC_BENCH_PEERS}/onednn/include/oneapi/dnnl/dnnl.h")
    set(bench_dnnl "${AIC_BENCH_PEERS}/onednn/lib/libdnnl.so.3")
    set(bench_dnnl_include "${AIC_BENCH_PEERS}/onednn/include")
elseif(AIC_DNNL_LIBRARY AND AIC_DNNL_INCLUDE_DIR)
    set(bench_dnnl "${AIC_DNNL_LIBRARY}")
    set(bench_dnnl_include "${AIC_DNNL_INCLUDE_DIR}")
endif()
message(STATUS "oneDNN for benchmarks: ${bench_dnnl}")

# aic_add_bench(NAME DNNL SOURCE...): the benchmark NAME; DNNL says whether it uses oneDNN.
function(aic_add_bench name dnnl)
    aic_add_program(bench_${name} aicjit ${ARGN} $<TARGET_OBJECTS:aicjit_bench_shared>)
    set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
    if(dnnl)
        target_include_directories(bench_${name} SYSTEM PRIVATE "${bench_dnnl_include}")
        # A library that was built elsewhere may refer to symbols of versions that its own libraries have here.
        target_link_libraries(bench_${name} PRIVATE "${bench_dnnl}" "-Wl,--allow-shlib-undefined")
    endif()
endfunction()

set(bench_programs "")
set(bench_shared "")
foreach(source IN LISTS bench_sources)
    file(STRINGS "${source}" main_line REGEX "^int main\\(" LIMIT_COUNT 1)
    if(main_line)
        list(APPEND bench_programs "${source}")
    else()
        list(APPEND bench_shared "${source}")
    endif()
endforeach()

add_library(aicjit_bench_shared OBJECT ${bench_shared})
target_include_directories(aicjit_bench_shared PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/frontend/include")
target_link_libraries(aicjit_bench_shared PRIVATE aicjit_options)

foreach(source IN LISTS bench_programs)
    get_filename_component(name "${source}" NAME_WE)
    if(NOT name MATCHES "dnnl")
        aic_add_bench(${name} FALSE "${source}")
    elseif(bench_dnnl)
        aic_add_bench(${name} TRUE "${source}")
    else()
        message(STATUS "oneDNN is not installed: bench/${name} is left out")
    endif()
endforeach()

foreach(program layers:layers making:make_kernels) # folder:name
    string(REPLACE ":" ";" program "${program}")
    list(GET program 0 folder)
    list(GET program 1 name)
    file(GLOB folder_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/bench/${folder}/*.c")
    if(bench_dnnl)
        list(FILTER folder_sources EXCLUDE REGEX "/peer_none\\.c$")
        aic_add_bench(${name} TRUE ${folder_sources})
    else()
        list(FILTER folder_sources EXCLUDE REGEX "/peer_dnnl\\.c$")
        aic_add_bench(${name} FALSE ${folder_sources})
    endif()
endforeach()
# Its unit of compile time is a job of LLVM alone.
target_link_libraries(bench_layers PRIVATE aicjit_llvm)
