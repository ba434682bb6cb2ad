/* LLVM as a table of functions, so that it is loaded when something is to be compiled and not before: a process whose
 * parts are at hand plans, composes and links kernels without it.
 *
 * Files call LLVM by its functions' names, which are made calls through the table here: a function that is called must
 * be a row of api.def. */
#pragma once

#include "codegen/llvm/load.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

typedef void (*aic_new_handler)(void);
typedef void (*aic_bad_alloc_handler)(void *user, const char *reason, _Bool crash);

/* Functions of C++ that LLVM's C interface has none for. NULL: this build of LLVM is without them, and running out of
 * memory is not survived. */
typedef struct aic_llvm_cxx {
    aic_new_handler (*set_new_handler)(aic_new_handler handler);
    aic_new_handler (*get_new_handler)(void);
    void (*throw_bad_alloc)(void);
    void (*install_bad_alloc_error_handler)(aic_bad_alloc_handler handler, void *user);
    void (*remove_bad_alloc_error_handler)(void);
} aic_llvm_cxx;

typedef struct aic_llvm_api {
    aic_llvm_cxx cxx;
#define AIC_LLVM(name) __typeof__(name) *name;
#include "codegen/llvm/api.def"
#undef AIC_LLVM
} aic_llvm_api;

#ifndef AIC_LLVM_DIRECT /* who is linked to LLVM may mean its functions themselves */
#include "llvm_calls.h" /* made of api.def by cmake/AicFindLlvm.cmake: #define NAME (aic_llvm->NAME) */
#endif
