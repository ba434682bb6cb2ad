/* Networks from ONNX files, which the Python package aicjit reads. */
#pragma once

#include "tools/args.h"

/* Writes the network of `file` as a folder (networks.md), as `python3 -m aicjit.onnx FILE FOLDER [NAME=SHAPE]...` does,
 * shapes being those of inputs that have none of their own; the environment's AIC_PYTHON may name another interpreter.
 * What is wrong with the file that process says itself, on standard error. Returns an exit status. */
int onnx_file_convert(const char *file, const char *folder, const args_list *shapes);
