# The generator as a module of its own, which libaicjit.so loads from its own folder when a kernel must be made. It has a
# second copy of what the library and the generator share, and exports one symbol.

set(AIC_MODULE_FILE "libaicjit-codegen.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(module_script "${PROJECT_SOURCE_DIR}/cmake/codegen.map")

# In place of frontend/core/thread.c it has codegen/module.c.
aic_add_objects(aicjit_module_objects codegen/module.c)

add_library(aicjit_module MODULE $<TARGET_OBJECTS:aicjit_module_objects> $<TARGET_OBJECTS:aicjit_generator_objects>
    $<FILTER:$<TARGET_OBJECTS:aicjit_objects>,EXCLUDE,/frontend/core/thread\\.c>)
set_target_properties(aicjit_module PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME "${AIC_MODULE_FILE}" LINKER_LANGUAGE C
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${AIC_LLVM_RUNPATH}" LINK_DEPENDS "${module_script}")
# Never unloaded: LLVM's handlers for exit stay registered.
target_link_options(aicjit_module PRIVATE "LINKER:--version-script=${module_script}" LINKER:-z,nodelete)
if(NOT AIC_SANITIZE)
    target_link_options(aicjit_module PRIVATE LINKER:-z,defs)
endif()
target_link_libraries(aicjit_module PRIVATE aicjit_options aicjit_llvm Threads::Threads m)

# The library finds it by this name.
aic_add_objects(aicjit_loader_objects runtime/generator_module.c runtime/loading.c)
target_compile_definitions(aicjit_loader_objects PRIVATE "AIC_MODULE_FILE=\"${AIC_MODULE_FILE}\"")
target_sources(aicjit PRIVATE $<TARGET_OBJECTS:aicjit_loader_objects>)
add_dependencies(aicjit aicjit_module) # whoever builds the library can run it

install(TARGETS aicjit_module LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
