/* Networks from ONNX files, which the Python package aicjit reads. */
#pragma once

/* Writes the network of `file` as a folder (networks.md), by `python3 -m aicjit.onnx FILE FOLDER`; the environment's
 * AIC_PYTHON may name another interpreter. What is wrong with the file that process says itself, on standard error.
 * Returns an exit status. */
int onnx_file_convert(const char *file, const char *folder);
