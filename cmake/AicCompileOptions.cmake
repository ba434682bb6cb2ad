# The target aicjit_options: how every source of the repository is compiled and linked. aicjit_plain_options is the same
# without a sanitizer: for what is loaded before a sanitizer's own library could be.

add_library(aicjit_plain_options INTERFACE)
add_library(aicjit_options INTERFACE)
target_link_libraries(aicjit_options INTERFACE aicjit_plain_options)

target_compile_definitions(aicjit_plain_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(aicjit_plain_options INTERFACE
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wno-sign-conversion
    -Wpointer-arith -Wwrite-strings -Wcast-qual -Wvla -Wundef -Wformat=2
    # clang takes numbers in an enumeration without a name, which are ints here as in C, for names of another kind.
    -Wno-enum-float-conversion
    $<$<BOOL:${AIC_WERROR}>:-Werror>
    # The references are defined step by step: a*b+c rounds twice, on every machine.
    -ffp-contract=off
    -fstack-protector-strong)
target_link_options(aicjit_plain_options INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:--as-needed)

# clang looks for a function's type in front of its first instruction, where code made by LLVM at run time has none, and
# where there may be no memory.
set(calls_of_kernels $<$<C_COMPILER_ID:Clang>:-fno-sanitize=function>)

if(AIC_SANITIZE STREQUAL "undefined")
    # Alone it needs no library and changes nothing else: what is undefined ends the process by a signal. Next to another
    # sanitizer it says what it found.
    target_compile_options(aicjit_options INTERFACE -fsanitize=undefined
        $<$<C_COMPILER_ID:Clang>:-fsanitize-trap=undefined> $<$<C_COMPILER_ID:GNU>:-fsanitize-undefined-trap-on-error>
        ${calls_of_kernels})
elseif(AIC_SANITIZE)
    set(sanitize -fsanitize=${AIC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer ${calls_of_kernels})
    target_compile_options(aicjit_options INTERFACE ${sanitize})
    target_link_options(aicjit_options INTERFACE ${sanitize})
    target_compile_definitions(aicjit_options INTERFACE AIC_SANITIZED)
else()
    # Fortification needs an optimising build.
    target_compile_options(aicjit_options INTERFACE
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
