/* Which build this is. The library and the generator's module were made together when their names are equal, and code
 * that was kept on a disk is used by the build that made it only. */
#pragma once

/* The version and a hash of the sources of frontend/ and codegen/ and of LLVM's version: "0.2.0-0123456789abcdef". */
extern const char aic_build_name[];

/* Of the LLVM that the build is for, e.g. "22.1.8". */
extern const char aic_build_llvm[];
