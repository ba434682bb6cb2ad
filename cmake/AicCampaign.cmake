# Programs of campaigns (tests/campaign). aicjit-bytes is an entry point of libFuzzer: a build of clang's whose
# AIC_SANITIZE has "fuzzer-no-link" has it.

foreach(name metamorphic storms)
    aic_add_program(aicjit-${name} aicjit "${PROJECT_SOURCE_DIR}/tests/campaign/${name}.c")
endforeach()
aic_add_program(aicjit-forks aicjit "${PROJECT_SOURCE_DIR}/tests/cli/forks.c")

if(AIC_SANITIZE MATCHES "fuzzer-no-link")
    aic_add_program(aicjit-bytes aicjit_static "${PROJECT_SOURCE_DIR}/tests/campaign/bytes.c")
    target_link_options(aicjit-bytes PRIVATE -fsanitize=fuzzer)
endif()
