# Writes a script for the linker that puts those functions of the module side by side that run while parts are made. Run as
# cmake -DPROGRAM=aicjit-order -DMODULE=... -DSHAPES=FILE -DOUTPUT=... -P AicOrderWrite.cmake. Where that cannot be found
# out, as on systems that let no code be written, it says so, and the linker's order stays: the module does the same.
cmake_minimum_required(VERSION 3.22)
get_filename_component(folder "${OUTPUT}" DIRECTORY)
set(copy "${folder}/traced.so")
set(all)
foreach(level IN ITEMS avx2 avx512vnni amx)
    set(list "${folder}/list.${level}.txt")
    execute_process(
        COMMAND "${CMAKE_COMMAND}" -E env "AIC_ORDER_MODULE=${MODULE}" "AIC_CODEGEN=${copy}" "AIC_ORDER_LIST=${list}"
            "${PROGRAM}" "${SHAPES}" "${level}" "${folder}/traced"
        OUTPUT_QUIET ERROR_VARIABLE why RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(WARNING "the module's functions stay in the linker's order; level ${level}: ${status}: ${why}")
        set(all)
        break()
    endif()
    file(STRINGS "${list}" names REGEX "^[A-Za-z_][A-Za-z0-9_.$]*$")
    list(APPEND all ${names})
endforeach()
file(REMOVE "${copy}")
list(SORT all)
list(REMOVE_DUPLICATES all)
list(TRANSFORM all PREPEND "        *(.text.") # LLVM has a section for each
list(TRANSFORM all APPEND ")")
list(JOIN all "\n" all)
file(WRITE "${OUTPUT}" "SECTIONS\n{\n    .text.first :\n    {\n${all}\n    }\n}\nINSERT BEFORE .text;\n")
