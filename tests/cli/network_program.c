/* A program that has a network and nothing else of aicjit: inputs from standard input, outputs to standard output. */
#include "net.h"
#include <stdio.h>

static _Alignas(64) unsigned char in[IN_BYTES], out[OUT_BYTES], workspace[NET_WORKSPACE_BYTES];

int main(void)
{
    if (fread(in, 1, sizeof in, stdin) != sizeof in) {
        return 2;
    }
    CALL(in, out, workspace);
    return fwrite(out, 1, sizeof out, stdout) == sizeof out ? 0 : 3;
}
