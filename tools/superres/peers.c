/* A child and two pipes. The child's messages go where this process's go. */
#include "tools/superres/peers.h"

#include "tools/harness/fail.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NUMBER_BYTES = 16 };

static int write_picture(const char *path, const picture *in)
{
    FILE *file = fopen(path, "wb");
    const size_t bytes = (size_t)in->width * (size_t)in->height * 3;
    const bool written = file != NULL && fwrite(in->rgb, 1, bytes, file) == bytes;
    const bool closed = file != NULL && fclose(file) == 0;
    return written && closed ? CLI_DONE : cli_fail(CLI_SYSTEM, "\"%s\": %s", path, strerror(errno));
}

static int read_result(const char *path, const picture *in, float *values)
{
    FILE *file = fopen(path, "rb");
    const size_t count = (size_t)in->width * (size_t)in->height * 48;
    const size_t got = file != NULL ? fread(values, sizeof *values, count, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return got == count ? CLI_DONE
                        : cli_fail(CLI_SYSTEM, "\"%s\": the peers left %zu of %zu numbers", path, got, count);
}

/* In the child: becomes the peers' program with these ends as standard input and output. */
static void become(char *const arguments[], int in, int out)
{
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)execvp(arguments[0], arguments);
    }
    _exit(127);
}

static int start(peers *p, char *const arguments[])
{
    int to[2], from[2];
    if (pipe(to) != 0) {
        return cli_fail(CLI_SYSTEM, "no pipe to the peers: %s", strerror(errno));
    }
    if (pipe(from) != 0) {
        (void)close(to[0]);
        (void)close(to[1]);
        return cli_fail(CLI_SYSTEM, "no pipe from the peers: %s", strerror(errno));
    }
    (void)fflush(stdout);
    p->process = fork();
    if (p->process == 0) {
        (void)close(to[1]);
        (void)close(from[0]);
        become(arguments, to[0], from[1]);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    p->to = fdopen(to[1], "w");
    p->from = fdopen(from[0], "r");
    if (p->process < 0 || p->to == NULL || p->from == NULL) {
        p->process = p->process < 0 ? 0 : p->process;
        return cli_fail(CLI_SYSTEM, "the peers cannot be started: %s", strerror(errno));
    }
    return CLI_DONE;
}

int peers_open(peers *p, const char *python, const char *script, const char *param, const char *bin, const picture *in,
               const char *folder, float *values)
{
    char source[PATH_BYTES], result[PATH_BYTES], width[NUMBER_BYTES], height[NUMBER_BYTES];
    *p = (peers){0};
    (void)snprintf(source, sizeof source, "%s/peers.rgb", folder);
    (void)snprintf(result, sizeof result, "%s/peers.f32", folder);
    (void)snprintf(width, sizeof width, "%d", in->width);
    (void)snprintf(height, sizeof height, "%d", in->height);
    const char *arguments[] = {python, script, param, bin, source, width, height, result, NULL};
    int status = write_picture(source, in);
    if (status == CLI_DONE) {
        char *given[sizeof arguments / sizeof *arguments];
        memcpy(given, arguments, sizeof given);
        status = start(p, given);
    }
    if (status == CLI_DONE && fgets(p->versions, sizeof p->versions, p->from) == NULL) {
        status = cli_fail(CLI_SYSTEM, "the peers' program \"%s %s\" ended early", python, script);
    }
    p->versions[strcspn(p->versions, "\n")] = '\0';
    status = status == CLI_DONE ? read_result(result, in, values) : status;
    (void)remove(source);
    (void)remove(result);
    if (status != CLI_DONE) {
        peers_close(p);
    }
    return status;
}

int peers_time(peers *p, const char *peer, int threads, double *ns)
{
    char line[64];
    if (fprintf(p->to, "%s %d\n", peer, threads) < 0 || fflush(p->to) != 0 ||
        fgets(line, sizeof line, p->from) == NULL) {
        return cli_fail(CLI_SYSTEM, "the peers' program has ended");
    }
    *ns = strtod(line, NULL);
    return *ns > 0 ? CLI_DONE : cli_fail(CLI_SYSTEM, "the peers' program says \"%s\" where a time should be", line);
}

void peers_close(peers *p)
{
    if (p->to != NULL) {
        (void)fclose(p->to); /* the end of its input is the end of it */
    }
    if (p->from != NULL) {
        (void)fclose(p->from);
    }
    if (p->process > 0) {
        (void)waitpid(p->process, NULL, 0);
    }
    *p = (peers){0};
}
