/* Pictures of another size, in plain C: for the picture that is looked at, and as what the network is compared with. */
#ifndef AIC_SUPERRES_RESAMPLE_H
#define AIC_SUPERRES_RESAMPLE_H

#include "tools/demo/picture.h"

/* Each makes *out; an exit status with a message. */

/* The largest part of `in` around its middle that has this shape, averaged down to width x height; *out has at most the
 * pixels of `in`. */
int resample_fit(picture *out, const picture *in, int width, int height);

/* Four times as wide and high: each pixel 4x4 times; by bicubic interpolation (Catmull and Rom's). */
int resample_nearest(picture *out, const picture *in);
int resample_bicubic(picture *out, const picture *in);

#endif
