/* Runs the IR of a kernel without compiling it, before any pass: every address and shuffle of a kernel that moves data
 * is seen in a small part of the time that compiling it takes, at every instruction set level, on any host.
 *
 * Integers and vectors of them, addresses of bytes, loops and calls are known; anything else fails the test. Every
 * access must lie in one operand and be aligned as it says, and inputs are not written. */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ir_program ir_program;

/* The function `name` of a module and those that it calls; the module must outlive the call only. */
ir_program *ir_program_new(LLVMModuleRef module, const char *name);
void ir_program_free(ir_program *program);

typedef struct ir_operand {
    unsigned char *base;
    size_t bytes;
    bool writable;
} ir_operand;

enum { IR_MESSAGE_MAX = 200 };

/* Calls the function with the operands as its first arguments, and null pointers after them. False after an access that
 * is not allowed; message tells which. */
bool ir_program_run(const ir_program *program, const ir_operand *operands, unsigned count,
                    char message[IR_MESSAGE_MAX]);
