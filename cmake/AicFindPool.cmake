# Finds the header of pthreadpool. Makes the target aicjit_pool, which tells sources whether there is one. The library itself
# is loaded when the first call is shared among threads: nobody who has none of those needs it.

find_path(AIC_PTHREADPOOL_INCLUDE_DIR NAMES pthreadpool.h)
mark_as_advanced(AIC_PTHREADPOOL_INCLUDE_DIR)

add_library(aicjit_pool INTERFACE)
if(AIC_PTHREADPOOL_INCLUDE_DIR)
    target_include_directories(aicjit_pool SYSTEM INTERFACE "${AIC_PTHREADPOOL_INCLUDE_DIR}")
    target_compile_definitions(aicjit_pool INTERFACE AIC_HAVE_PTHREADPOOL)
else()
    message(STATUS "pthreadpool is not installed: calls are shared by a caller's own parallel loop only")
endif()
