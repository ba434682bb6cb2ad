# Programs of campaigns (tests/campaign). aicjit-bytes is an entry point of libFuzzer in a build of clang's whose
# AIC_SANITIZE has "fuzzer-no-link" (preset fuzz); in others it reads the files that it is given.

foreach(name metamorphic storms)
    aic_add_program(aicjit-${name} aicjit "${PROJECT_SOURCE_DIR}/tests/campaign/${name}.c")
endforeach()
aic_add_program(aicjit-forks aicjit "${PROJECT_SOURCE_DIR}/tests/cli/forks.c")

aic_add_program(aicjit-bytes aicjit_static "${PROJECT_SOURCE_DIR}/tests/campaign/bytes.c")
if(AIC_SANITIZE MATCHES "fuzzer-no-link")
    target_compile_definitions(aicjit-bytes PRIVATE AIC_LIBFUZZER)
    target_link_options(aicjit-bytes PRIVATE -fsanitize=fuzzer)
endif()
