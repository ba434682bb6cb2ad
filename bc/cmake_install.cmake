# Install script for directory: /work/wt/fix

# Set the install prefix
if(NOT DEFINED CMAKE_INSTALL_PREFIX)
  set(CMAKE_INSTALL_PREFIX "/usr/local")
endif()
string(REGEX REPLACE "/$" "" CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")

# Set the install configuration name.
if(NOT DEFINED CMAKE_INSTALL_CONFIG_NAME)
  if(BUILD_TYPE)
    string(REGEX REPLACE "^[^A-Za-z0-9_]+" ""
           CMAKE_INSTALL_CONFIG_NAME "${BUILD_TYPE}")
  else()
    set(CMAKE_INSTALL_CONFIG_NAME "RelWithDebInfo")
  endif()
  message(STATUS "Install configuration: \"${CMAKE_INSTALL_CONFIG_NAME}\"")
endif()

# Set the component getting installed.
if(NOT CMAKE_INSTALL_COMPONENT)
  if(COMPONENT)
    message(STATUS "Install component: \"${COMPONENT}\"")
    set(CMAKE_INSTALL_COMPONENT "${COMPONENT}")
  else()
    set(CMAKE_INSTALL_COMPONENT)
  endif()
endif()

# Install shared libraries without execute permission?
if(NOT DEFINED CMAKE_INSTALL_SO_NO_EXE)
  set(CMAKE_INSTALL_SO_NO_EXE "1")
endif()

# Is this installation the result of a crosscompile?
if(NOT DEFINED CMAKE_CROSSCOMPILING)
  set(CMAKE_CROSSCOMPILING "FALSE")
endif()

# Set default install directory permissions.
if(NOT DEFINED CMAKE_OBJDUMP)
  set(CMAKE_OBJDUMP "/usr/bin/llvm-objdump-19")
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE MODULE FILES "/work/wt/fix/bc/libaicjit-codegen.so.0.2")
  if(EXISTS "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit-codegen.so.0.2" AND
     NOT IS_SYMLINK "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit-codegen.so.0.2")
    if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND "/usr/bin/llvm-strip-19" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit-codegen.so.0.2")
    endif()
  endif()
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE FILE OPTIONAL FILES
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.generic.parts"
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.sse2.parts"
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.avx2.parts"
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.avx2+avxvnni.parts"
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.avx512.parts"
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.avx512vnni.parts"
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.avx512fp16.parts"
    "/work/wt/fix/bc/libaicjit-codegen.so.0.2.amx.parts"
    )
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE SHARED_LIBRARY FILES
    "/work/wt/fix/bc/libaicjit.so.0.2.0"
    "/work/wt/fix/bc/libaicjit.so.0.2"
    )
  foreach(file
      "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit.so.0.2.0"
      "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit.so.0.2"
      )
    if(EXISTS "${file}" AND
       NOT IS_SYMLINK "${file}")
      if(CMAKE_INSTALL_DO_STRIP)
        execute_process(COMMAND "/usr/bin/llvm-strip-19" "${file}")
      endif()
    endif()
  endforeach()
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE SHARED_LIBRARY FILES "/work/wt/fix/bc/libaicjit.so")
  if(EXISTS "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit.so" AND
     NOT IS_SYMLINK "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit.so")
    if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND "/usr/bin/llvm-strip-19" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libaicjit.so")
    endif()
  endif()
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib" TYPE STATIC_LIBRARY FILES "/work/wt/fix/bc/libaicjit.a")
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/include/aic" TYPE FILE FILES
    "/work/wt/fix/bc/include/aic/aic.h"
    "/work/wt/fix/bc/include/aic/allowed.h"
    "/work/wt/fix/bc/include/aic/cache.h"
    "/work/wt/fix/bc/include/aic/choice.h"
    "/work/wt/fix/bc/include/aic/context.h"
    "/work/wt/fix/bc/include/aic/conv2d.h"
    "/work/wt/fix/bc/include/aic/coordinates.h"
    "/work/wt/fix/bc/include/aic/diagnose.h"
    "/work/wt/fix/bc/include/aic/explain.h"
    "/work/wt/fix/bc/include/aic/export.h"
    "/work/wt/fix/bc/include/aic/fixpipe.h"
    "/work/wt/fix/bc/include/aic/kernel.h"
    "/work/wt/fix/bc/include/aic/load_data.h"
    "/work/wt/fix/bc/include/aic/load_data_transpose.h"
    "/work/wt/fix/bc/include/aic/mmad.h"
    "/work/wt/fix/bc/include/aic/nd2nz.h"
    "/work/wt/fix/bc/include/aic/network.h"
    "/work/wt/fix/bc/include/aic/npy.h"
    "/work/wt/fix/bc/include/aic/op.h"
    "/work/wt/fix/bc/include/aic/pack.h"
    "/work/wt/fix/bc/include/aic/pto.h"
    "/work/wt/fix/bc/include/aic/rules.h"
    "/work/wt/fix/bc/include/aic/spec.h"
    "/work/wt/fix/bc/include/aic/tensor_arithmetic.h"
    "/work/wt/fix/bc/include/aic/tensor_arithmetic_quantized.h"
    "/work/wt/fix/bc/include/aic/texpands.h"
    "/work/wt/fix/bc/include/aic/tik_fixpipe.h"
    "/work/wt/fix/bc/include/aic/tool.h"
    "/work/wt/fix/bc/include/aic/transdata.h"
    "/work/wt/fix/bc/include/aic/tune.h"
    "/work/wt/fix/bc/include/aic/types.h"
    "/work/wt/fix/frontend/include/aic/winograd.def"
    )
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/bin" TYPE EXECUTABLE FILES "/work/wt/fix/bc/aicjit")
  if(EXISTS "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/aicjit" AND
     NOT IS_SYMLINK "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/aicjit")
    if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND "/usr/bin/llvm-strip-19" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin/aicjit")
    endif()
  endif()
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/man/man1" TYPE FILE RENAME "aicjit.1" FILES "/work/wt/fix/bc/aicjit.man")
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions" TYPE FILE RENAME "aicjit" FILES "/work/wt/fix/bc/aicjit.bash")
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/zsh/site-functions" TYPE FILE RENAME "_aicjit" FILES "/work/wt/fix/bc/aicjit.zsh")
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/share/fish/vendor_completions.d" TYPE FILE FILES "/work/wt/fix/bc/aicjit.fish")
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  if(EXISTS "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/cmake/aicjit/aicjitTargets.cmake")
    file(DIFFERENT _cmake_export_file_changed FILES
         "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/cmake/aicjit/aicjitTargets.cmake"
         "/work/wt/fix/bc/CMakeFiles/Export/634e5406aac916bda3b484eb69f0dc37/aicjitTargets.cmake")
    if(_cmake_export_file_changed)
      file(GLOB _cmake_old_config_files "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/cmake/aicjit/aicjitTargets-*.cmake")
      if(_cmake_old_config_files)
        string(REPLACE ";" ", " _cmake_old_config_files_text "${_cmake_old_config_files}")
        message(STATUS "Old export file \"$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/cmake/aicjit/aicjitTargets.cmake\" will be replaced.  Removing files [${_cmake_old_config_files_text}].")
        unset(_cmake_old_config_files_text)
        file(REMOVE ${_cmake_old_config_files})
      endif()
      unset(_cmake_old_config_files)
    endif()
    unset(_cmake_export_file_changed)
  endif()
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/cmake/aicjit" TYPE FILE FILES "/work/wt/fix/bc/CMakeFiles/Export/634e5406aac916bda3b484eb69f0dc37/aicjitTargets.cmake")
  if(CMAKE_INSTALL_CONFIG_NAME MATCHES "^([Rr][Ee][Ll][Ww][Ii][Tt][Hh][Dd][Ee][Bb][Ii][Nn][Ff][Oo])$")
    file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/cmake/aicjit" TYPE FILE FILES "/work/wt/fix/bc/CMakeFiles/Export/634e5406aac916bda3b484eb69f0dc37/aicjitTargets-relwithdebinfo.cmake")
  endif()
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/cmake/aicjit" TYPE FILE FILES
    "/work/wt/fix/bc/aicjitConfig.cmake"
    "/work/wt/fix/bc/aicjitConfigVersion.cmake"
    )
endif()

if(CMAKE_INSTALL_COMPONENT STREQUAL "Unspecified" OR NOT CMAKE_INSTALL_COMPONENT)
  file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/pkgconfig" TYPE FILE FILES "/work/wt/fix/bc/aicjit.pc")
endif()

if(CMAKE_INSTALL_COMPONENT)
  set(CMAKE_INSTALL_MANIFEST "install_manifest_${CMAKE_INSTALL_COMPONENT}.txt")
else()
  set(CMAKE_INSTALL_MANIFEST "install_manifest.txt")
endif()

string(REPLACE ";" "\n" CMAKE_INSTALL_MANIFEST_CONTENT
       "${CMAKE_INSTALL_MANIFEST_FILES}")
file(WRITE "/work/wt/fix/bc/${CMAKE_INSTALL_MANIFEST}"
     "${CMAKE_INSTALL_MANIFEST_CONTENT}")
