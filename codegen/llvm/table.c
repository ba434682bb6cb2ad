/* The functions of api.h: the only file that refers to LLVM's symbols. It is linked in, or a module's. */
#define AIC_LLVM_DIRECT
#include "codegen/llvm/api.h"

/* By their mangled names. */
extern aic_new_handler set_new_handler(aic_new_handler handler) __asm__("_ZSt15set_new_handlerPFvvE")
    __attribute__((weak));
extern aic_new_handler get_new_handler(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));
extern void throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));
extern void install_bad_alloc_error_handler(aic_bad_alloc_handler handler, void *user) __asm__(
    "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_") __attribute__((weak));
extern void remove_bad_alloc_error_handler(void) __asm__("_ZN4llvm30remove_bad_alloc_error_handlerEv")
    __attribute__((weak));

const aic_llvm_api aic_llvm_table = {
    .cxx = {set_new_handler, get_new_handler, throw_bad_alloc, install_bad_alloc_error_handler,
            remove_bad_alloc_error_handler},
#define AIC_LLVM(name) .name = name,
#include "codegen/llvm/api.def"
#undef AIC_LLVM
};
