# LLVM as a module of its own, which libaicjit.so loads from its own folder when something must be compiled. It has the
# table of LLVM's functions (codegen/module.h), and exports one symbol.

set(AIC_MODULE_FILE "libaicjit-codegen.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(module_script "${PROJECT_SOURCE_DIR}/cmake/codegen.map")

aic_add_objects(aicjit_module_objects codegen/module.c codegen/module_memory.c codegen/llvm/table.c "${AIC_BUILD_NAME_SOURCE}")
target_link_libraries(aicjit_module_objects PRIVATE aicjit_llvm)
add_dependencies(aicjit_module_objects aicjit_objects) # which has the name of the build made

# aic_add_module(TARGET)
function(aic_add_module target)
    add_library(${target} MODULE $<TARGET_OBJECTS:aicjit_module_objects>)
    set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME "${AIC_MODULE_FILE}" LINKER_LANGUAGE C
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${AIC_MODULE_RUNPATH}" LINK_DEPENDS "${module_script}")
    # Never unloaded: LLVM's handlers for exit stay registered.
    target_link_options(${target} PRIVATE "LINKER:--version-script=${module_script}" LINKER:-z,nodelete)
    if(NOT AIC_SANITIZE)
        target_link_options(${target} PRIVATE LINKER:-z,defs)
    endif()
    if(AIC_MODULE_OWN)
        # Debian's archives have line tables.
        target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:--as-needed LINKER:--strip-debug)
    endif()
    if(AIC_MODULE_CXX)
        target_link_options(${target} PRIVATE -static-libgcc)
    endif()
    target_link_directories(${target} PRIVATE "${AIC_LLVM_LIBDIR}")
    target_link_libraries(${target} PRIVATE aicjit_options ${AIC_MODULE_LIBS})
endfunction()
aic_add_module(aicjit_module)

# The library finds it by this name.
aic_add_objects(aicjit_loader_objects runtime/generator/generator_module.c)
target_compile_definitions(aicjit_loader_objects PRIVATE "AIC_MODULE_FILE=\"${AIC_MODULE_FILE}\"")
if(AIC_MODULE_CXX)
    target_compile_definitions(aicjit_module_objects PRIVATE AIC_MODULE_CXX)
    target_compile_definitions(aicjit_loader_objects PRIVATE AIC_MODULE_CXX)
endif()
target_sources(aicjit PRIVATE $<TARGET_OBJECTS:aicjit_loader_objects>)
add_dependencies(aicjit aicjit_module) # whoever builds the library can run it

install(TARGETS aicjit_module LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")

# ---- the order of its functions ----

# Those of LLVM's functions that run side by side: they are a fifth of its code. A module in the linker's order is made
# first, to find out which they are (tools/order/trace.c), and then the one that is used.
set(AIC_MODULE_ORDERED OFF)
if(AIC_MODULE_ORDER AND AIC_MODULE_OWN AND NOT AIC_SANITIZE AND NOT CMAKE_CROSSCOMPILING
   AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(order_folder "${PROJECT_BINARY_DIR}/order")
    file(WRITE "${order_folder}/none.ld" "SECTIONS { .text.first : { *(.text.none) } } INSERT BEFORE .text;\n")
    set(CMAKE_REQUIRED_LINK_OPTIONS "-Wl,-T,${order_folder}/none.ld")
    check_c_source_compiles("int main(void) { return 0; }" AIC_LINKER_INSERTS)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    set(AIC_MODULE_ORDERED "${AIC_LINKER_INSERTS}")
endif()
if(AIC_MODULE_ORDERED)
    aic_add_module(aicjit_module_unordered)
    set_target_properties(aicjit_module_unordered PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${order_folder}")
    add_executable(aicjit-order tools/order/trace.c tools/ready/main.c $<TARGET_OBJECTS:aicjit_objects>
        $<TARGET_OBJECTS:aicjit_runtime_objects> $<TARGET_OBJECTS:aicjit_generator_objects> $<TARGET_OBJECTS:aicjit_loader_objects>)
    target_include_directories(aicjit-order PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/frontend/include")
    target_link_libraries(aicjit-order PRIVATE aicjit_options Threads::Threads ${CMAKE_DL_LIBS} m)
    set_target_properties(aicjit-order PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${order_folder}")
    set(order_shapes "${PROJECT_SOURCE_DIR}/tools/order/shapes.txt")
    set(order_writer "${PROJECT_SOURCE_DIR}/cmake/AicOrderWrite.cmake")
    add_custom_command(OUTPUT "${order_folder}/order.ld"
        COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:aicjit-order>" "-DMODULE=$<TARGET_FILE:aicjit_module_unordered>"
            "-DSHAPES=${order_shapes}" "-DOUTPUT=${order_folder}/order.ld" -P "${order_writer}"
        DEPENDS aicjit_module_unordered aicjit-order "${order_shapes}" "${order_writer}"
        COMMENT "Looking which functions of LLVM run" VERBATIM)
    add_custom_target(aicjit_order DEPENDS "${order_folder}/order.ld")
    add_dependencies(aicjit_module aicjit_order)
    target_link_options(aicjit_module PRIVATE "LINKER:-T,${order_folder}/order.ld")
    set_property(TARGET aicjit_module APPEND PROPERTY LINK_DEPENDS "${order_folder}/order.ld")
endif()

# ---- ready-made parts ----

# Of a level in a file beside the module (codegen/ready_file.h), made with it. Those of other architectures, and of a build
# that only runs elsewhere or looks for mistakes, there are none. Which level the host has is found out when they are made;
# a folder that another machine goes on with has no file of its level until they are made anew, and misses nothing but time.
if(AIC_READY_PARTS AND NOT AIC_SANITIZE AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    file(STRINGS "${PROJECT_SOURCE_DIR}/codegen/target/targets.def" level_rows REGEX "^AIC_TARGET\\(X86_64, ")
    list(TRANSFORM level_rows REPLACE "^[^\"]*\"([^\"]*)\".*$" "\\1" OUTPUT_VARIABLE levels)
    set(ready_optional)
    if(NOT AIC_READY_LEVELS OR AIC_READY_LEVELS STREQUAL "host")
        set(ready_optional OPTIONAL) # when it is installed, those that are there
    elseif(NOT AIC_READY_LEVELS STREQUAL "all")
        foreach(level ${AIC_READY_LEVELS})
            if(NOT level IN_LIST levels)
                message(FATAL_ERROR "AIC_READY_LEVELS: ${level} is none of ${levels}, nor host or all")
            endif()
        endforeach()
        set(levels ${AIC_READY_LEVELS})
    endif()
    # It loads the module, as the library does: linking LLVM once more takes seconds where its libraries are static.
    add_executable(aicjit-ready tools/ready/main.c $<TARGET_OBJECTS:aicjit_objects> $<TARGET_OBJECTS:aicjit_runtime_objects>
        $<TARGET_OBJECTS:aicjit_generator_objects> $<TARGET_OBJECTS:aicjit_loader_objects>)
    target_include_directories(aicjit-ready PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/frontend/include")
    target_link_libraries(aicjit-ready PRIVATE aicjit_options Threads::Threads ${CMAKE_DL_LIBS} m)
    add_dependencies(aicjit-ready aicjit_module)
    set(aicjit_ready "${CMAKE_COMMAND}" -E env --unset=AIC_CODEGEN $<TARGET_FILE:aicjit-ready>)
    list(TRANSFORM levels PREPEND "${PROJECT_BINARY_DIR}/${AIC_MODULE_FILE}." OUTPUT_VARIABLE AIC_READY_FILES)
    list(TRANSFORM AIC_READY_FILES APPEND ".parts")
    if(ready_optional)
        # With the program that makes them: Ninja begins what it links sooner than other commands, and these take long.
        set_target_properties(aicjit-ready PROPERTIES LINK_DEPENDS "${AIC_READY_SHAPES}")
        add_custom_command(TARGET aicjit-ready POST_BUILD
            COMMAND "${CMAKE_COMMAND}" -E rm -f ${AIC_READY_FILES} # another machine's or another build's
            COMMAND ${aicjit_ready} "${AIC_READY_SHAPES}" host "${PROJECT_BINARY_DIR}/${AIC_MODULE_FILE}"
            COMMENT "Making parts of the host's level" VERBATIM)
        add_custom_target(aicjit_ready_parts)
        add_dependencies(aicjit_ready_parts aicjit-ready)
    else()
        foreach(level ready_file IN ZIP_LISTS levels AIC_READY_FILES)
            add_custom_command(OUTPUT "${ready_file}"
                COMMAND ${aicjit_ready} "${AIC_READY_SHAPES}" "${level}" "${PROJECT_BINARY_DIR}/${AIC_MODULE_FILE}"
                DEPENDS aicjit-ready "${AIC_READY_SHAPES}" COMMENT "Making parts of level ${level}" VERBATIM)
        endforeach()
        add_custom_target(aicjit_ready_parts ALL DEPENDS ${AIC_READY_FILES})
    endif()
    install(FILES ${AIC_READY_FILES} DESTINATION "${CMAKE_INSTALL_LIBDIR}" ${ready_optional})
endif()
