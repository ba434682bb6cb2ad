
####### Expanded from @PACKAGE_INIT@ by configure_package_config_file() #######
####### Any changes to this file will be overwritten by the next CMake run ####
####### The input file was aicjitConfig.cmake.in                            ########

get_filename_component(PACKAGE_PREFIX_DIR "${CMAKE_CURRENT_LIST_DIR}/../../../" ABSOLUTE)

macro(set_and_check _var _file)
  set(${_var} "${_file}")
  if(NOT EXISTS "${_file}")
    message(FATAL_ERROR "File or directory ${_file} referenced by variable ${_var} does not exist !")
  endif()
endmacro()

macro(check_required_components _NAME)
  foreach(comp ${${_NAME}_FIND_COMPONENTS})
    if(NOT ${_NAME}_${comp}_FOUND)
      if(${_NAME}_FIND_REQUIRED_${comp})
        set(${_NAME}_FOUND FALSE)
      endif()
    endif()
  endforeach()
endmacro()

####################################################################################

include("${CMAKE_CURRENT_LIST_DIR}/aicjitTargets.cmake")

# The static library, which has the generator in it and hence needs LLVM where programs are linked.
if(NOT TARGET aicjit::static AND EXISTS "${PACKAGE_PREFIX_DIR}/lib/libaicjit.a")
    add_library(aicjit::static STATIC IMPORTED)
    set_target_properties(aicjit::static PROPERTIES
        IMPORTED_LOCATION "${PACKAGE_PREFIX_DIR}/lib/libaicjit.a"
        IMPORTED_LINK_INTERFACE_LANGUAGES C
        INTERFACE_INCLUDE_DIRECTORIES "${PACKAGE_PREFIX_DIR}/include"
        INTERFACE_LINK_DIRECTORIES "/usr/lib/llvm-22/lib"
        INTERFACE_LINK_OPTIONS "LINKER:-z,nodelete" # a shared object that has it in it must not be unloaded
        INTERFACE_LINK_LIBRARIES "-lLLVM-22;-pthread;dl;m")
endif()
check_required_components(aicjit)
