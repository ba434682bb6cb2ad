"""Many kernels at once."""

import os

from ._context import handle_of
from ._errors import ArgumentTypeError, Error
from ._kernel import Kernel
from ._values import choice, integer, kind_of, shown


def _made(index, spec, schedule, context, errors):
    try:
        return Kernel(spec, schedule, context)
    except Error as error:
        if errors == "return":
            return error
        place = "specs[%d]: " % index
        raise type(error)(place + str(error), error.status, [place + told for told in error.messages]) from None


def compile_many(specs, threads=None, *, schedule=None, progress=None, errors="raise", context=None):
    """Compiles specifications to a list of kernels, in their order, on several threads. Kernels that consist of the same
    parts share them. threads: by default those that this process may run on; progress(done, count, what): called in this
    thread after each, what being the kernel or its error; ends the work by raising. errors: "raise" the first one, with
    its place in specs, once no thread works any more, or "return" them in the places of the kernels; schedule and
    context as for compile()."""
    if progress is not None and not callable(progress):
        raise ArgumentTypeError("progress: %s is %s, no function" % (shown(progress), kind_of(progress)))
    import concurrent.futures  # takes as long as half of this package

    choice("errors", errors, dict.fromkeys(("raise", "return")))
    handle_of(context)
    if isinstance(specs, str) or not hasattr(specs, "__iter__"):
        raise ArgumentTypeError("specs: %s is %s, not a list of specifications" % (shown(specs), kind_of(specs)))
    specs = list(specs)
    usable = len(os.sched_getaffinity(0)) if threads is None else integer("threads", threads, 1, 1024)
    with concurrent.futures.ThreadPoolExecutor(max(1, min(usable, len(specs))), "aicjit.compile_many") as pool:
        waiting = [pool.submit(_made, index, spec, schedule, context, errors) for index, spec in enumerate(specs)]
        try:
            for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
                made = future.result()
                if progress is not None:
                    progress(done, len(specs), made)
        finally:
            for future in waiting:
                future.cancel()
    return [future.result() for future in waiting]
