/* What the benchmarks share: the layers, the kinds of arithmetic, kernels that are checked and ready to call,
 * and timing. Failures end the program with exit status 3: a benchmark has no caller to hand them to. */
#pragma once

#include <aic/aic.h>
#include <stdio.h>

/* One convolution of a square image by a square kernel. channels = 4 stands for C0 = 4, other numbers are rounded up
 * to whole C0 blocks. */
typedef struct bench_layer {
    const char *name;
    int channels, size, cout, kernel, stride, pad, dilation;
    int count;   /* how often ResNet-50 v1.5 has it; 0: not of that network */
    bool target; /* one of the two layers that the design sets targets for */
} bench_layer;

/* The layers, an entry without a name behind the last. */
extern const bench_layer bench_layers[];

/* An element type with its arithmetic and the unit whose peak is its yardstick. */
typedef struct bench_kind {
    const char *name;
    aic_dtype dtype;
    aic_accumulate accumulate;
    const char *peak_name;
    double (*peak)(void); /* 10^9 multiply-accumulates a second */
    double target;        /* share of that peak which the design requires */
} bench_kind;

/* The kinds, an entry without a name behind the last. */
extern const bench_kind bench_kinds[];

typedef struct bench_options {
    const char *isa;   /* level to generate for */
    const char *kind;  /* NULL: all */
    const char *layer; /* part of a layer's name; NULL: all */
    double seconds;    /* for one measurement */
} bench_options;

/* Reads --isa LEVEL (default: the host's best up to isa_most; NULL: its best), --kind NAME, --layer TEXT, --time S.
 * Anything else: a usage line and exit status 2. */
bench_options bench_parse(int argc, char **argv, const char *isa_most);

/* An option with a value, and where its text goes. */
typedef struct bench_option {
    const char *name, **target;
} bench_option;

/* Reads options by a table, an entry without a name behind its last. Anything else: a line that lists them, status 2.
 */
void bench_read_options(int argc, char **argv, const bench_option *table);

/* Ends the program with status 2: this value does not fit. */
_Noreturn void bench_refuse(const char *option, const char *value);

/* A number within low..high. */
double bench_number(const char *option, const char *text, double low, double high);

/* Opens what an option names; NULL for none. Closes it, with status 3 where not all could be written. */
FILE *bench_open_output(const char *option, const char *path);
void bench_close_output(FILE *file, const char *path);

/* A string of JSON. What is no printable character of ASCII becomes a blank. */
void bench_write_text(FILE *out, const char *text);

/* The name of the program, for messages. */
const char *bench_program(void);

/* Takes a validated specification over that is line number `line` of a file; says what is wrong with it, or NULL. */
typedef const char *(*bench_take_spec)(void *argument, const char *text, aic_spec *spec, size_t line);

/* Hands on the operators of a file, a text a line, with '#' comments and blank lines. Lines that are no legal operator,
 * or not taken, are named on standard error, and false is returned then. */
bool bench_read_specs(const char *path, bench_take_spec take, void *argument);

/* Whether the options choose this kind and layer. */
bool bench_wants_kind(const bench_options *options, const bench_kind *kind);
bool bench_wants_layer(const bench_options *options, const bench_layer *layer);

/* Variables of the environment that libraries of peers read when they are loaded. */
typedef struct bench_variable {
    const char *name, *value;
} bench_variable;

/* Sets them and, where one had another value, starts the program again. */
void bench_use_environment(char **argv, const bench_variable *variables, size_t count);

/* Makes the libraries of peers use one thread, in that way. */
void bench_use_one_thread(char **argv);

/* Likewise so many threads, and the instruction set level `isa` of ours, if that is not the host's best. */
void bench_use_peer(char **argv, const char *threads, const char *isa, const char *best);

/* Prints "PROGRAM: what: the library's last message" and exits with status 3. */
_Noreturn void bench_die(const char *what);

/* `bytes` zeroed bytes, 64-byte aligned; to be freed with free(). Dies rather than return NULL. */
void *bench_memory(size_t bytes);

aic_context *bench_context(const char *isa); /* of one thread */
/* To be given to bench_data_open(), or destroyed. */
aic_spec *bench_spec(const bench_layer *layer, const bench_kind *kind);

/* The operands of a layer: inputs filled with uniform random values, the same ones every time. */
typedef struct bench_data {
    aic_spec *spec;
    size_t count;
    aic_operand operand[AIC_OPERANDS_MAX]; /* in calling order */
    void *pointer[AIC_OPERANDS_MAX];       /* NULL for those that are not used */
    int64_t macs;
} bench_data;

/* Takes the specification over. */
void bench_data_open(bench_data *data, aic_spec *spec);
void bench_data_close(bench_data *data);

/* A kernel on such operands. Several may share them. */
typedef struct bench_kernel {
    bench_data *data;
    aic_kernel *kernel;
    aic_kernel_info info;
    aic_conv2d_fn packed_fn, plain_fn;
    void *packed, *workspace;
} bench_kernel;

/* Makes the kernel (schedule NULL: the default), packs the weights, runs it with packed and with plain weights and
 * compares the output with aic_reference() for a sample of its pixels, corners included, all channels. A wrong output
 * ends the program: no wrong kernel is ever timed. */
void bench_kernel_open(bench_kernel *kernel, bench_data *data, aic_context *context, const char *schedule);
void bench_kernel_close(bench_kernel *kernel);

/* Compares the output of a convolution, or of a chain "conv2d | fixpipe(format=NZ)", with the reference for a sample of
 * its pixels, corners included, all channels. A difference ends the program with status 1; `how` tells what was called.
 */
void bench_check_pixels(const bench_data *data, const char *how);

/* Where the value of this pixel and channel lies in the output of such an operator, in elements. */
int64_t bench_output_at(const bench_data *data, int64_t pixel, int64_t channel);

/* Bodies for bench_time; the argument is the bench_kernel. */
void bench_run_packed(void *kernel);
void bench_run_plain(void *kernel);
void bench_run_pack(void *kernel);

typedef struct bench_body {
    void (*run)(void *argument);
    void *argument;
    double ns; /* set by bench_time: the median of one call */
} bench_body;

/* Runs the kernel once and compares every byte of its output with the reference; a difference ends the program with
 * status 1, named by `what`. */
void bench_data_check(const bench_data *data, const bench_body *kernel, const char *what);

/* Times the bodies in turn, A B C A B C ..., for about `seconds` each. The clock is the thread's processor time: what
 * other processes take on a shared machine does not count. */
void bench_time(bench_body *body, size_t count, double seconds);

/* Milliseconds to make the kernel where nothing is cached: median over fresh contexts. */
double bench_compile_ms(const char *isa, const aic_spec *spec);
