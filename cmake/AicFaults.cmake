# aicjit-faults: the library with every allocation and system call behind a wrapper that can fail (tests/faults). The
# wrappers' source says which those are.

set(fault_calls "${PROJECT_SOURCE_DIR}/tests/faults/calls.c")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${fault_calls}")
file(READ "${fault_calls}" text)
string(REGEX MATCHALL "\n(FAULT|TRACK|BOTH)\\([^,]+,[ \n]+[a-z_]+|\nCUT\\([a-z]+|BOTH\\([a-z_]+\\)" rows "${text}")
set(wrapped)
foreach(row ${rows})
    string(REGEX REPLACE ".*[ (\n]([a-z_]+)\\)?$" "\\1" name "${row}")
    list(APPEND wrapped "LINKER:--wrap=${name}")
endforeach()

file(GLOB fault_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/faults/*.c")
aic_add_program(aicjit-faults aicjit_static ${fault_sources})
target_link_options(aicjit-faults PRIVATE ${wrapped})
