/* What a part of the library has to do when the process forks. runtime/system/fork.c says which parts there are, and
 * calls them. */
#pragma once

/* NULL: nothing. before() takes the part's locks, and waits for what must not be cut in two; in_parent() and in_child()
 * give them back. In the child, whose only thread is the one that forked, memory may be allocated, but what the
 * parent's other threads were in the middle of never ends. */
typedef struct aic_fork_part {
    void (*before)(void);
    void (*in_parent)(void);
    void (*in_child)(void);
} aic_fork_part;
