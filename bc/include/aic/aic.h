/* aicjit: machine code for operator kernels, generated while the program runs. The one header to include.
 *
 *     types.h    status codes, element types, messages
 *     OP.h       one an operator: its descriptor and aic_jit_OP()
 *     spec.h     specifications: operator text, rules, operands, reference
 *     context.h  instruction sets, options, cache
 *     cache.h    the kernels that are kept on disk
 *     kernel.h   kernel handles, packing, dumps
 *     diagnose.h what happens to data on the way to a result
 *     explain.h  what a kernel is expected to cost, and why it is as it is
 *     export.h   kernels for programs without this library
 *     network.h  networks: folders of kernels and constants
 *     npy.h      headers of .npy files
 *     pack.h     images and weights in the layouts of conv2d
 *     tune.h     finding and keeping the fastest schedules
 *     pto.h      PTO-AS: programs of texpands statements
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_AIC_H
#define AIC_AIC_H

#include <aic/cache.h>
#include <aic/choice.h>
#include <aic/context.h>
#include <aic/conv2d.h>
#include <aic/coordinates.h>
#include <aic/diagnose.h>
#include <aic/explain.h>
#include <aic/export.h>
#include <aic/kernel.h>
#include <aic/network.h>
#include <aic/npy.h>
#include <aic/pack.h>
#include <aic/pto.h>
#include <aic/rules.h>
#include <aic/spec.h>
#include <aic/tune.h>
#include <aic/types.h>

#endif
