set(CMAKE_ASM_COMPILER "/usr/bin/clang-19")
set(CMAKE_ASM_COMPILER_ARG1 "")
set(CMAKE_AR "/usr/bin/llvm-ar-19")
set(CMAKE_ASM_COMPILER_AR "/usr/lib/llvm-19/bin/llvm-ar")
set(CMAKE_RANLIB "/usr/bin/llvm-ranlib-19")
set(CMAKE_ASM_COMPILER_RANLIB "/usr/lib/llvm-19/bin/llvm-ranlib")
set(CMAKE_LINKER "/usr/bin/ld.lld")
set(CMAKE_MT "")
set(CMAKE_ASM_COMPILER_LOADED 1)
set(CMAKE_ASM_COMPILER_ID "Clang")
set(CMAKE_ASM_COMPILER_VERSION "")
set(CMAKE_ASM_COMPILER_ENV_VAR "ASM")
set(CMAKE_ASM_COMPILER_ID_VENDOR_MATCH [==[clang version]==])



set(CMAKE_ASM_IGNORE_EXTENSIONS h;H;o;O;obj;OBJ;def;DEF;rc;RC)
set(CMAKE_ASM_LINKER_PREFERENCE 0)


