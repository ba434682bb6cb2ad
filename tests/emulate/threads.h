/* The tile state of each thread: initialised where a thread starts, and in each handler of a signal. */
#pragma once

#include "tests/emulate/tiles.h"

/* Once per process, before the others. False where memory or keys of threads are short. */
bool threads_start(void);

/* The state that instructions of this thread work on now; NULL where memory ran out. It costs memory from the first
 * call in a thread to its end, none of the thread's own stack. */
tile_state *threads_tiles(void);

/* Linux hands a handler the initialised state, and the interrupted state back when the handler returns. A handler that
 * jumps out instead keeps the state it had. */
typedef struct threads_interrupted threads_interrupted;
threads_interrupted *threads_enter_handler(void);
void threads_leave_handler(threads_interrupted *interrupted);
