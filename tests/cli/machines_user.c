/* machines_user threads|turns SPEC MACHINE...: a context for each type of core, a kernel of SPEC by each: one context
 * after the other, or all at once by threads of their own. Then each context is asked again. Prints "MACHINE NAME
 * SCHEDULE" twice for each; exit status 0, or 1 and the message. The first kernel loads the generator. */
#include <aic/aic.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES_MAX = 16, LINE_MAX_BYTES = 512 };

typedef struct user {
    const char *spec, *machine;
    aic_context *context;
    char line[LINE_MAX_BYTES], error[LINE_MAX_BYTES];
} user;

static void make(user *u)
{
    aic_spec *spec = NULL;
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    if (aic_spec_parse(u->spec, &spec) != AIC_OK || aic_kernel_create(u->context, spec, NULL, &kernel) != AIC_OK) {
        snprintf(u->error, sizeof u->error, "%s", aic_last_error());
        return;
    }
    aic_spec_destroy(spec);
    (void)aic_kernel_get_info(kernel, &info);
    snprintf(u->line, sizeof u->line, "%s %s %s", u->machine, info.name, info.schedule);
    aic_kernel_destroy(kernel);
}

static void *begin(void *argument)
{
    user *u = argument;
    aic_context_options options = aic_context_options_init();
    options.machine = u->machine;
    options.isa = aic_isa_name(0);
    if (aic_context_create(&options, &u->context) != AIC_OK) {
        snprintf(u->error, sizeof u->error, "%s", aic_last_error());
        return NULL;
    }
    make(u);
    return NULL;
}

static int print(const user *u)
{
    if (u->error[0] != '\0') {
        fprintf(stderr, "%s\n", u->error);
        return 1;
    }
    return puts(u->line) < 0;
}

int main(int argc, char **argv)
{
    user users[MACHINES_MAX];
    pthread_t thread[MACHINES_MAX];
    const int count = argc - 3;
    int bad = argc < 4 || count > MACHINES_MAX;
    const int threads = !bad && strcmp(argv[1], "threads") == 0;
    for (int i = 0; i < count && !bad; i++) {
        users[i] = (user){.spec = argv[2], .machine = argv[3 + i]};
        if (threads) {
            bad = pthread_create(&thread[i], NULL, begin, &users[i]);
        } else {
            (void)begin(&users[i]);
        }
    }
    for (int i = 0; i < count && threads && !bad; i++) {
        bad = pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < count && !bad; i++) {
        bad = print(&users[i]);
    }
    for (int i = count - 1; i >= 0 && !bad; i--) {
        make(&users[i]);
        bad = print(&users[i]);
        aic_context_destroy(users[i].context);
    }
    return bad;
}
