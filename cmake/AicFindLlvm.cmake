# Finds LLVM's C library by its llvm-config program: AIC_LLVM_VERSION, or the newest supported version that has its
# headers installed. Makes the target aicjit_llvm and sets AIC_LLVM_CONFIG, AIC_LLVM_LIBDIR, AIC_LLVM_LIBS, and
# AIC_LLVM_RUNPATH, the folder that what is linked to it must know, "" for LLVM's static libraries (AIC_LLVM_STATIC) and
# where the loader finds the same file by itself, as with Debian's packages.

set(AIC_LLVM_SUPPORTED 22 21 20 19)

if(AIC_LLVM_VERSION)
    if(NOT AIC_LLVM_VERSION IN_LIST AIC_LLVM_SUPPORTED)
        message(FATAL_ERROR "AIC_LLVM_VERSION = ${AIC_LLVM_VERSION} is none of ${AIC_LLVM_SUPPORTED}")
    endif()
    set(llvm_versions ${AIC_LLVM_VERSION})
else()
    set(llvm_versions ${AIC_LLVM_SUPPORTED})
endif()

# aic_llvm_query(RESULT ARGUMENT...): what llvm-config answers.
function(aic_llvm_query result)
    execute_process(COMMAND "${AIC_LLVM_CONFIG}" ${ARGN} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE
                    COMMAND_ERROR_IS_FATAL ANY)
    set(${result} "${answer}" PARENT_SCOPE)
endfunction()

set(AIC_LLVM_CONFIG "")
foreach(version IN LISTS llvm_versions)
    # One cache entry a version, so that another AIC_LLVM_VERSION in the same build directory is seen.
    find_program(AIC_LLVM_CONFIG_${version} NAMES llvm-config-${version} llvm-config${version}
                 HINTS /usr/lib/llvm-${version}/bin)
    mark_as_advanced(AIC_LLVM_CONFIG_${version})
    if(NOT AIC_LLVM_CONFIG_${version})
        continue()
    endif()
    set(AIC_LLVM_CONFIG "${AIC_LLVM_CONFIG_${version}}")
    aic_llvm_query(AIC_LLVM_INCLUDEDIR --includedir)
    if(EXISTS "${AIC_LLVM_INCLUDEDIR}/llvm-c/Core.h")
        break()
    endif()
    set(AIC_LLVM_CONFIG "")
endforeach()
if(NOT AIC_LLVM_CONFIG)
    message(FATAL_ERROR "no LLVM with its headers among the versions ${llvm_versions}: install llvm-22-dev or llvm-19-dev "
                        "(tools/dev setup does)")
endif()

aic_llvm_query(AIC_LLVM_FULL_VERSION --version)
aic_llvm_query(AIC_LLVM_LIBDIR --libdir)
if(AIC_LLVM_STATIC)
    set(llvm_components passes codegen target bitwriter x86 aarch64)
    aic_llvm_query(AIC_LLVM_LIBS --link-static --libs ${llvm_components})
    aic_llvm_query(llvm_system_libs --link-static --system-libs ${llvm_components})
    string(APPEND AIC_LLVM_LIBS " ${llvm_system_libs} -lstdc++")
    if(AIC_PYTHON_PACKAGE) # no library of the system but the C library
        string(REGEX REPLACE "-l(z|zstd|stdc\\+\\+)( |$)" "-l:lib\\1.a\\2" AIC_LLVM_LIBS "${AIC_LLVM_LIBS}")
    endif()
    set(AIC_LLVM_RUNPATH "")
else()
    aic_llvm_query(AIC_LLVM_LIBS --libs --link-shared)
    set(AIC_LLVM_RUNPATH "${AIC_LLVM_LIBDIR}")
    if(CMAKE_LIBRARY_ARCHITECTURE AND EXISTS "${AIC_LLVM_LIBDIR}/libLLVM.so")
        file(REAL_PATH "${AIC_LLVM_LIBDIR}/libLLVM.so" llvm_file)
        get_filename_component(llvm_folder "${llvm_file}" DIRECTORY)
        if(llvm_folder STREQUAL "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
            set(AIC_LLVM_RUNPATH "")
        endif()
    endif()
endif()
separate_arguments(AIC_LLVM_LIBS UNIX_COMMAND "${AIC_LLVM_LIBS}")
string(REGEX MATCH "^[0-9]+" AIC_LLVM_MAJOR "${AIC_LLVM_FULL_VERSION}")
message(STATUS "LLVM ${AIC_LLVM_FULL_VERSION} by ${AIC_LLVM_CONFIG}")

add_library(aicjit_llvm INTERFACE)
target_include_directories(aicjit_llvm SYSTEM INTERFACE "${AIC_LLVM_INCLUDEDIR}")
target_link_directories(aicjit_llvm INTERFACE "${AIC_LLVM_LIBDIR}")
target_link_libraries(aicjit_llvm INTERFACE ${AIC_LLVM_LIBS})

# The functions' names as calls through the table of codegen/llvm/api.h.
set(llvm_rows "${PROJECT_SOURCE_DIR}/codegen/llvm/api.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${llvm_rows}")
file(STRINGS "${llvm_rows}" llvm_calls REGEX "^AIC_LLVM\\(")
list(TRANSFORM llvm_calls REPLACE "^AIC_LLVM\\((.*)\\)$" "#define \\1 (aic_llvm->\\1)")
list(JOIN llvm_calls "\n" llvm_calls)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/llvm/llvm_calls.h" @ONLY CONTENT "${llvm_calls}\n")
target_include_directories(aicjit_llvm INTERFACE "${PROJECT_BINARY_DIR}/llvm")
