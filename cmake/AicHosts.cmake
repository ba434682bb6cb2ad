# Other hosts for tests (tests/claims.h): specifications drawn from other seeds, and a library to preload that claims
# processors and caches. It has no sanitizer in it: one preloads it into programs that may have none.

foreach(name aic_spec_draw aic_spec_draw_illegal aic_spec_draw_chain aic_spec_draw_chain_illegal verify_open)
    target_link_options(aicjit-tests PRIVATE "LINKER:--wrap=${name}")
endforeach()

add_library(aicjit_claim SHARED "${PROJECT_SOURCE_DIR}/tests/hosts/preload.c")
set_target_properties(aicjit_claim PROPERTIES OUTPUT_NAME aicjit-claim C_VISIBILITY_PRESET default)
target_link_options(aicjit_claim PRIVATE LINKER:-z,defs)
target_link_libraries(aicjit_claim PRIVATE aicjit_plain_options ${CMAKE_DL_LIBS})
