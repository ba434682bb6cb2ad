/* Whether bytes from outside are the piece of a part; see piece.h. */
#include "codegen/image.h"
#include "codegen/relocation.h"

#include <elf.h>
#include <string.h>

static bool is_of_this_machine(uint32_t machine)
{
#if defined(__x86_64__)
    return machine == EM_X86_64;
#elif defined(__aarch64__)
    return machine == EM_AARCH64;
#else
    return (void)machine, false;
#endif
}

/* Whether there is one function of a part, and nothing else that is defined has its name. */
static bool has_function(const aic_piece_view *view)
{
    unsigned functions = 0;
    for (uint32_t i = 0; i < view->head.symbols; i++) {
        const aic_piece_symbol symbol = aic_piece_symbol_at(view, i);
        const unsigned both = AIC_PIECE_DEFINED | AIC_PIECE_FUNCTION;
        if (strcmp(aic_piece_name(view, &symbol), AIC_PART_SYMBOL) == 0) {
            functions += (symbol.flags & both) == both && symbol.offset < view->head.code_bytes ? 1 : 2;
        }
    }
    return functions == 1;
}

/* Whether a patch of this kind may refer to a symbol: a number has a name and is not defined. */
static bool may_refer(const aic_piece_view *view, const aic_relocation *row, uint32_t index)
{
    if (index >= view->head.symbols) {
        return false;
    }
    const aic_piece_symbol symbol = aic_piece_symbol_at(view, index);
    const bool defined = (symbol.flags & AIC_PIECE_DEFINED) != 0;
    const size_t length = strlen(aic_piece_name(view, &symbol)), most = AIC_NUMBER_NAME_MAX;
    return defined ? !aic_relocation_takes_number(row) : length > 0 && length < most;
}

static bool patches_are_good(const aic_piece_view *view)
{
    uint64_t free_from = 0;
    for (uint32_t i = 0; i < view->head.patches; i++) {
        const aic_piece_patch patch = aic_piece_patch_at(view, i);
        const aic_relocation *row = aic_relocation_find(view->head.machine, patch.type);
        if (row == NULL || row->kind == AIC_RELOCATION_REFUSED || !may_refer(view, row, patch.symbol)) {
            return false;
        }
        const size_t width = aic_relocation_width(row);
        if (patch.at < free_from || view->head.code_bytes < width || patch.at > view->head.code_bytes - width) {
            return false;
        }
        free_from = patch.at + width;
    }
    return true;
}

const char *aic_piece_check(const aic_piece *piece)
{
    aic_piece_view view;
    if (!aic_piece_open(piece, &view)) {
        return "its piece is not whole";
    }
    if (!is_of_this_machine(view.head.machine)) {
        return "it is of another machine";
    }
    if (view.head.frames_bytes != 0 || !has_function(&view)) {
        return "it is no part";
    }
    return patches_are_good(&view) ? NULL : "a patch is not in order";
}
