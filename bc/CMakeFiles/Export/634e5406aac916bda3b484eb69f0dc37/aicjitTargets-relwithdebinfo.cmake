#----------------------------------------------------------------
# Generated CMake target import file for configuration "RelWithDebInfo".
#----------------------------------------------------------------

# Commands may need to know the format version.
set(CMAKE_IMPORT_FILE_VERSION 1)

# Import target "aicjit::aicjit" for configuration "RelWithDebInfo"
set_property(TARGET aicjit::aicjit APPEND PROPERTY IMPORTED_CONFIGURATIONS RELWITHDEBINFO)
set_target_properties(aicjit::aicjit PROPERTIES
  IMPORTED_LOCATION_RELWITHDEBINFO "${_IMPORT_PREFIX}/lib/libaicjit.so.0.2.0"
  IMPORTED_SONAME_RELWITHDEBINFO "libaicjit.so.0.2"
  )

list(APPEND _cmake_import_check_targets aicjit::aicjit )
list(APPEND _cmake_import_check_files_for_aicjit::aicjit "${_IMPORT_PREFIX}/lib/libaicjit.so.0.2.0" )

# Commands beyond this point should not need to know the version.
set(CMAKE_IMPORT_FILE_VERSION)
