/* Made by cmake/AicBuildNameWrite.cmake. */
#include "codegen/build_name.h"

const char aic_build_name[] = "0.2.0-639aef20c82dee20";
const char aic_build_llvm[] = "22.1.8";
