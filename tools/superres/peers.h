/* ncnn and onnxruntime in a process of their own (peers.py), which runs the network on request. */
#ifndef AIC_SUPERRES_PEERS_H
#define AIC_SUPERRES_PEERS_H

#include "tools/demo/picture.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct peers {
    pid_t process; /* 0: there are none */
    FILE *to, *from;
    char versions[160]; /* as the process reports them */
} peers;

/* Starts `python script` for the network in these files on this picture. `folder` is for the picture and the result,
 * float32 [4*height, 4*width, 3], which is read into `values`. An exit status with a message. */
int peers_open(peers *p, const char *python, const char *script, const char *param, const char *bin, const picture *in,
               const char *folder, float *values);

/* Nanoseconds, of one thread in processor time, of one run of `peer`, "ncnn", "onnxruntime" or "ncnn-direct", on that
 * many threads. An exit status with a message. */
int peers_time(peers *p, const char *peer, int threads, double *ns);

void peers_close(peers *p);

#endif
