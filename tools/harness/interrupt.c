/* Ending by signals. The handler calls async-signal-safe functions only. */
#include "tools/harness/interrupt.h"

#include "tools/harness/fail.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { GRACE_SECONDS = 1, READER_MS = 100, TEXT_MAX = 64 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static interrupt_file *_Atomic files;
static const interrupt_sums *_Atomic reported;
static volatile sig_atomic_t polled, requested;
static bool terminal; /* standard error, where a line of progress may stand */

/* ---- the end ---- */

static char *put_text(char *at, const char *text)
{
    while (*text != '\0') {
        *at++ = *text++;
    }
    return at;
}

static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

/* Writes a line unless that has to wait for a reader, which may have stopped reading. */
static void write_line(int fd, const char *line, size_t length)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, READER_MS) == 1 && (ready.revents & POLLOUT) != 0) {
        const ssize_t written = write(fd, line, length);
        (void)written; /* there is nobody left to report it to */
    }
}

static void write_sums(const interrupt_sums *sums)
{
    char line[TEXT_MAX], *at = line;
    at = put_text(at, sums->in_line ? "\n" : "");
    at = put_number(at, sums->passed);
    at = put_text(at, " passed, ");
    at = put_number(at, sums->failed);
    at = put_text(at, " failed\n");
    write_line(STDOUT_FILENO, line, (size_t)(at - line));
}

static void end_process(void)
{
    static const char message[] = "\r\033[Kaicjit: interrupted\n";
    const size_t wipe = terminal ? 0 : sizeof "\r\033[K" - 1;
    for (const interrupt_file *file = files; file != NULL; file = file->next) {
        (void)unlink(file->path);
    }
    if (reported != NULL) {
        write_sums(reported);
    }
    write_line(STDERR_FILENO, message + wipe, sizeof message - 1 - wipe);
    _exit(CLI_MISMATCH);
}

static void on_signal(int number)
{
    if (number == SIGALRM || !polled || requested) {
        end_process();
    }
    requested = 1;
    (void)alarm(GRACE_SECONDS);
}

/* ---- for the work ---- */

static void mask_signals(int how)
{
    sigset_t set;
    (void)sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++) {
        (void)sigaddset(&set, signals[i]);
    }
    (void)pthread_sigmask(how, &set, NULL);
}

void interrupt_install(void)
{
    terminal = isatty(STDERR_FILENO) == 1;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    (void)sigfillset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction old;
        const bool ignored = sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN;
        if (signals[i] != SIGHUP || !ignored) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
    mask_signals(SIG_UNBLOCK); /* whatever the parent blocked */
}

void interrupt_polled(bool whether)
{
    (void)alarm(0);
    polled = 0;
    requested = 0;
    polled = whether;
}

bool interrupt_requested(void)
{
    return requested != 0;
}

static int held;

void interrupt_hold(void)
{
    if (held++ == 0) {
        mask_signals(SIG_BLOCK);
    }
}

void interrupt_release(void)
{
    if (--held == 0) {
        mask_signals(SIG_UNBLOCK);
    }
}

void interrupt_remember(interrupt_file *file, const char *path)
{
    *file = (interrupt_file){path, files};
    files = file;
}

void interrupt_forget(interrupt_file *file)
{
    if (files == file) {
        files = file->next;
        return;
    }
    interrupt_file *before = files;
    while (before != NULL && before->next != file) {
        before = before->next;
    }
    if (before != NULL) {
        before->next = file->next;
    }
}

void interrupt_report(const interrupt_sums *sums)
{
    reported = sums;
}
