/* Making the kernels of a set in every state. Each state of each round is a process of its own, so that its first
 * kernel is the first of a process; they take turns. */
#include "tests/bench/making/making.h"
#include "tests/bench/making/peer.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *const state_names[STATES] = {
    [STATE_LITERAL] = "literal",
    [STATE_NOTHING] = "nothing ready",
    [STATE_MEMORY] = "parts in memory",
    [STATE_READY] = "parts ready-made",
    [STATE_DISK] = "parts on disk",
    [STATE_KERNEL] = "kernel on disk",
    [STATE_PEER] = "peer",
};

/* What a process works on. */
typedef struct work {
    making *m;
    const making_options *options;
    state state;
    size_t round;
} work;

/* ---- the folder of kernels and parts on disk ---- */

static char folder[PATH_MAX]; /* "": there is none now */

static void folder_path(char path[PATH_MAX], const char *name)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX) {
        bench_die("the name of a folder is too long");
    }
}

/* Calls it with the descriptor of a folder in that folder, and each name in there. */
static void visit(const char *name, void (*see)(int where, const char *name))
{
    char path[PATH_MAX];
    folder_path(path, name);
    DIR *names = opendir(path);
    const struct dirent *found;
    while (names != NULL && (found = readdir(names)) != NULL) {
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0) {
            see(dirfd(names), found->d_name);
        }
    }
    if (names != NULL) {
        (void)closedir(names);
    }
}

static void remove_file(int where, const char *name)
{
    (void)unlinkat(where, name, 0);
}

static void remove_folder(void)
{
    static const char *const FOLDERS[] = {"kernels", "parts"};
    char path[PATH_MAX];
    for (size_t i = 0; folder[0] != '\0' && i < sizeof FOLDERS / sizeof FOLDERS[0]; i++) {
        visit(FOLDERS[i], remove_file);
        folder_path(path, FOLDERS[i]);
        (void)rmdir(path);
    }
    if (folder[0] != '\0') {
        (void)rmdir(folder);
    }
    folder[0] = '\0';
}

static void make_folder(void)
{
    const char *base = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/make_kernels-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
    if (mkdtemp(folder) == NULL) {
        fprintf(stderr, "make_kernels: a folder cannot be made: %s\n", strerror(errno));
        exit(3);
    }
}

static void move_part(int where, const char *name)
{
    const char *suffix = strrchr(name, '.');
    char to[PATH_MAX];
    (void)snprintf(to, sizeof to, "../parts/%s", name);
    if (suffix != NULL && strcmp(suffix, ".part") == 0 && renameat(where, name, where, to) != 0) {
        bench_die("a part cannot be moved");
    }
}

/* Puts parts in another folder than kernels. */
static void divide_folder(void)
{
    char path[PATH_MAX];
    folder_path(path, "parts");
    if (mkdir(path, 0700) != 0) {
        bench_die("a folder of parts cannot be made");
    }
    visit("kernels", move_part);
}

/* ---- processes ---- */

static volatile sig_atomic_t stopped; /* the signal */
static volatile sig_atomic_t child;

static void stop(int number)
{
    stopped = number;
    if (child > 0) {
        (void)kill((pid_t)child, SIGTERM);
    }
}

static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};

static void handle_signals(void (*handler)(int))
{
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        const struct sigaction action = {.sa_handler = handler};
        (void)sigaction(SIGNALS[i], &action, NULL);
    }
}

/* Signals end this program only where its folder can be removed: before the next process, after one, and at the end. */
static void end_if_stopped(void)
{
    if (stopped != 0) {
        remove_folder();
        handle_signals(SIG_DFL);
        (void)raise(stopped);
    }
}

/* Ends this program as the child ended, unless it did what it had to. */
static void end_like(int status)
{
    end_if_stopped();
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "make_kernels: a process was ended by signal %d\n", WTERMSIG(status));
        remove_folder();
        exit(3);
    }
    if (WEXITSTATUS(status) != 0) {
        remove_folder();
        exit(WEXITSTATUS(status));
    }
}

/* Runs it in a process of its own. */
static void run_apart(void (*run)(const work *), const work *w)
{
    int status = 0;
    (void)fflush(NULL);
    end_if_stopped();
    const pid_t process = fork();
    if (process == 0) {
        handle_signals(SIG_DFL);
        if (stopped != 0) { /* before its signals were its own */
            (void)raise(stopped);
        }
        run(w);
        _exit(0);
    }
    if (process < 0) {
        remove_folder();
        bench_die("a process cannot be started");
    }
    child = (sig_atomic_t)process;
    if (stopped != 0) {
        stop(stopped);
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    child = 0;
    end_like(status);
}

/* ---- kernels ---- */

static clockid_t watch; /* that of the processor, or on the wall */

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(watch, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* cache "off", or "ro" or "rw" with a folder. A context that is not to give a kernel again keeps only the last one. */
static aic_context *open_context(const work *w, const char *cache, const char *name, bool literal)
{
    char path[PATH_MAX];
    aic_context_options options = aic_context_options_init();
    if (name != NULL) {
        folder_path(path, name);
        options.cache_dir = path;
    }
    options.cache = cache;
    options.isa = w->options->isa;
    options.threads = w->options->threads;
    options.tuning_db = "";
    options.profile = literal ? "gdb" : ""; /* debuggers want whole objects */
    options.cache_kernels = strcmp(cache, "rw") == 0 ? 0 : 1;
    aic_context *context;
    if (aic_context_create(&options, &context) != AIC_OK) {
        bench_die("context");
    }
    return context;
}

/* loaded: it must come from its file, else it must be made. */
static void make(aic_context *context, const shape *which, bool loaded, sample *s)
{
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    const double start = now_ms();
    const aic_status status = aic_kernel_create(context, which->spec, NULL, &kernel);
    const double end = now_ms();
    if (status != AIC_OK || aic_kernel_get_info(kernel, &info) != AIC_OK) {
        bench_die(which->name);
    }
    if (info.loaded != loaded || info.compiled == loaded) {
        fprintf(stderr, "make_kernels: %s: the kernel was %s\n", which->name,
                info.loaded     ? "loaded from a file"
                : info.compiled ? "made, and not loaded from its file"
                                : "there already");
        exit(3);
    }
    *s = (sample){true, end - start, info.parts_ready, info.parts_loaded, info.parts_made};
    aic_kernel_destroy(kernel);
}

static void make_all(const work *w, aic_context *context)
{
    for (size_t i = 0; i < w->m->set->count; i++) {
        if (!w->m->row[i].same) {
            make(context, &w->m->set->shape[i], w->state == STATE_KERNEL, sample_at(w->m, w->state, i, w->round));
        }
    }
}

/* A kernel that takes the place of the one that the context has kept. */
static void forget(aic_context *context)
{
    aic_spec *spec = NULL;
    aic_kernel *kernel = NULL;
    if (aic_spec_parse("mmad(dtype=int8, m=1, n=1, k=3)", &spec) != AIC_OK ||
        aic_kernel_create(context, spec, NULL, &kernel) != AIC_OK) {
        bench_die("a kernel between");
    }
    aic_spec_destroy(spec);
    aic_kernel_destroy(kernel);
}

static void make_again(const work *w, aic_context *context)
{
    make_all(w, context);
    for (size_t i = 0; i < w->m->set->count; i++) {
        if (!w->m->row[i].same) {
            forget(context);
            make(context, &w->m->set->shape[i], w->state == STATE_KERNEL, sample_at(w->m, w->state, i, w->round));
        }
    }
}

static void make_by_peer(const work *w)
{
    for (size_t i = 0; i < w->m->set->count; i++) {
        sample *s = sample_at(w->m, STATE_PEER, i, w->round);
        shape_row *row = &w->m->row[i];
        s->known =
            !row->same && making_peer_make(w->m->set->shape[i].spec, now_ms, &s->ms, row->peer, sizeof row->peer);
    }
}

static void run_state(const work *w)
{
    static const struct {
        const char *cache, *folder;
    } CACHES[STATES] = {
        [STATE_LITERAL] = {"off", NULL},   [STATE_NOTHING] = {"off", NULL}, [STATE_MEMORY] = {"off", NULL},
        [STATE_READY] = {"ro", "nothing"}, [STATE_DISK] = {"ro", "parts"},  [STATE_KERNEL] = {"ro", "kernels"}};
    if (w->state == STATE_PEER) {
        make_by_peer(w);
        return;
    }
    aic_context *context = open_context(w, CACHES[w->state].cache, CACHES[w->state].folder, w->state == STATE_LITERAL);
    if (w->state == STATE_MEMORY) {
        make_again(w, context);
    } else {
        make_all(w, context);
    }
    aic_context_destroy(context);
}

/* ---- what is on disk ---- */

/* Whether a report on the kernel says that some of its code is its own. */
static bool has_own(aic_context *context, const shape *which)
{
    char *text;
    size_t size;
    if (aic_dump(context, which->spec, NULL, AIC_DUMP_EXPLAIN, NULL, NULL, &text, &size) != AIC_OK) {
        bench_die(which->name);
    }
    const bool own = strstr(text, ", compiled with the kernel") != NULL;
    aic_free(text);
    return own;
}

static _Noreturn void refuse_shape(const work *w, const shape *which)
{
    if (which->line == 0) {
        bench_die(which->name);
    }
    fprintf(stderr, "make_kernels: %s:%zu: %s\n", w->options->file, which->line, aic_last_error());
    exit(2);
}

/* Makes all kernels, which leaves them and their parts in the folder. */
static void prepare(const work *w)
{
    aic_context *context = open_context(w, "rw", "kernels", false);
    for (size_t i = 0; i < w->m->set->count; i++) {
        const shape *which = &w->m->set->shape[i];
        aic_kernel *kernel;
        aic_kernel_info info = aic_kernel_info_init();
        if (aic_kernel_create(context, which->spec, NULL, &kernel) != AIC_OK ||
            aic_kernel_get_info(kernel, &info) != AIC_OK) {
            refuse_shape(w, which);
        }
        w->m->row[i].same = !info.compiled;
        w->m->row[i].own = has_own(context, which);
        aic_kernel_destroy(kernel);
    }
    aic_context_destroy(context);
}

static void run_speed(const work *w)
{
    speed_measure(w->m, w->options);
}

/* ---- all of it ---- */

/* Memory that children write to. */
static void *shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        bench_die("memory for what is measured cannot be had");
    }
    return memory;
}

static size_t row_bytes(const making *m)
{
    return m->set->count * sizeof *m->row;
}

static size_t sample_bytes(const making *m)
{
    return STATES * m->set->count * m->rounds * sizeof *m->sample;
}

void making_measure(making *m, const shape_set *set, const making_options *options)
{
    *m = (making){.set = set, .rounds = options->rounds};
    watch = options->threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    m->row = shared(row_bytes(m));
    m->sample = shared(sample_bytes(m));
    handle_signals(stop); /* so that the folder does not stay */
    make_folder();
    work w = {.m = m, .options = options};
    run_apart(prepare, &w);
    divide_folder();
    for (w.round = 0; w.round < m->rounds; w.round++) {
        for (int s = 0; s < STATES; s++) {
            w.state = (state)s;
            run_apart(run_state, &w);
        }
    }
    if (options->seconds > 0) {
        run_apart(run_speed, &w);
    }
    remove_folder();
    end_if_stopped();
    handle_signals(SIG_DFL);
}

void making_free(making *m)
{
    (void)munmap(m->row, row_bytes(m));
    (void)munmap(m->sample, sample_bytes(m));
}
