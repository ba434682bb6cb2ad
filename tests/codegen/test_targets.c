/* Every instruction set level of both architectures, whether or not this host runs it: objects that need nothing from
 * where they are loaded, and instructions that prove the level and do not go beyond it. */
#include "codegen/codegen.h"
#include "codegen/target/target.h"
#include "frontend/core/key.h"
#include "frontend/core/spec.h"
#include "runtime/request/build.h"
#include "tests/levels.h"
#include "tests/machines.h"

#include <aic/tool.h>
#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_targets(void);

static const char *const specs[] = {
    "conv2d(dtype=int8, fm_shape=[2,5,7,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1], pad_value=-3)",
    "conv2d(dtype=int8, fm_shape=[128,3,12,32], kernel_shape=[128,3,11,16,32], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[2,5,7,16], kernel_shape=[2,3,3,48,16], pad=[1,1,1,1], pad_value=0.1)",
    "conv2d(dtype=float16, fm_shape=[2,5,7,16], kernel_shape=[2,3,3,48,16], init_l1out=false, accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[1,9,11,4], kernel_shape=[1,3,3,16,4], stride=[2,2], pad=[1,0,1,0])",
    "mmad(dtype=int8, m=19, n=37, k=45, init_c=false)",
    "mmad(dtype=int8, m=1, n=32, k=32)",
    "mmad(dtype=float16, m=19, n=37, k=45, a_format=Zz, b_format=Zn, c_format=Nz)",
    "mmad(dtype=bfloat16, m=19, n=37, k=45, accumulate=fast)",
    "mmad(dtype=float32, m=19, n=37, k=45, init_c=false, accumulate=fast)",
    "fixpipe(dst=float16, src=float32, nSize=37, mSize=19, srcStride=32, dstStride=40, quantPre=F322F16, reluEn=true)",
    "fixpipe(dst=bfloat16, src=float32, format=NZ, nSize=48, mSize=19, srcStride=32, dstStride=20, quantPre=F322BF16)",
    "fixpipe(dst=int8, src=int32, format=NZ, nSize=80, mSize=19, srcStride=32, dstStride=20, quantPre=VREQ8)",
    "fixpipe(dst=uint8, src=float32, nSize=80, mSize=19, srcStride=32, dstStride=80, quantPre=VQF322B8_PRE)",
    "fixpipe(dst=float16, src=int32, nSize=37, mSize=19, srcStride=32, dstStride=37, quantPre=DEQF16)",
    "tik_fixpipe(dst=float16, src=int32, cburst_num=3, burst_len=38, bias=true, quantize_params=int322fp16, "
    "mode_param_tensor=true)",
    "conv2d(dtype=int8, fm_shape=[2,9,9,32], kernel_shape=[2,3,3,48,32]) | fixpipe(dst=int8, src=int32, "
    "quantPre=VREQ8)",
    "conv2d(dtype=float16, fm_shape=[2,9,9,16], kernel_shape=[2,3,3,48,16]) | fixpipe(dst=float16, src=float32, "
    "quantPre=F322F16)",
    "mmad(dtype=bfloat16, m=45, n=29, k=37, accumulate=fast) | fixpipe(dst=bfloat16, src=float32, quantPre=F322BF16)",
    "transdata(dtype=int8, src=NCHW, dst=NC1HWC0, shape=[2,67,5,9])",
    "transdata(dtype=float16, src=ND, dst=Nz, shape=[37,53])",
    "transdata(dtype=int32, src=Zn, dst=Nz, shape=[40,40])",
    "transdata(dtype=int8, src=NCHW, dst=4N, shape=[6,5,9,9])",
    "tensor_arithmetic(op=BM_MAC, shape=[2,3,5,67], input1_stride=[0,1,0,0])",
    "tensor_arithmetic(op=BM_MAX, shape=[2,3,5,67], output_stride=[1050,350,70,1])",
    "tensor_arithmetic(op=BM_DIV, shape=[2,3,5,67], input0_stride=[1,2,6,30])",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[7,3,5,67])",
    "conv2d(dtype=int8, fm_shape=[1,40,40,4], kernel_shape=[1,3,3,32,4])",
    "conv2d(dtype=float16, fm_shape=[4,14,14,16], kernel_shape=[4,3,3,64,16], accumulate=fast)",
    "tensor_arithmetic_quantized(op=BM_MAC, shape=[7,3,5,67], output_8bit=false, lshift_bit=20, rshift_bit=3)",
    "texpands(dtype=float16, rows=48, cols=64, v_row=35, v_col=dyn, slayout=row_major)",
    "texpands(dtype=int8, rows=64, cols=352, v_row=35, v_col=301)",
    "nd2nz(dtype=float16, ndNum=2, nValue=20, dValue=500, srcDValue=512, dstNzC0Stride=20, dstNzMatrixStride=16000)",
};

enum { SPECS = sizeof specs / sizeof specs[0], WORDS = 12 };

/* What the assembly of all specs together contains, and what it does not. "\t" stands before every mnemonic. */
static const struct level_row {
    aic_arch arch;
    const char *level;
    const char *has[WORDS], *has_not[WORDS];
} rows[] = {
    {AIC_ARCH_X86_64, "generic", {"%xmm", "\tmulps"}, {"\tpmulld", "\tpmovsx", "\tv", "%ymm", "%zmm"}},
    {AIC_ARCH_X86_64, "sse2", {"\tpmaddwd", "%xmm", "\tmulps"}, {"\tpmulld", "\tpmovsx", "\tv", "%ymm", "%zmm"}},
    {AIC_ARCH_X86_64,
     "avx2",
     {"\tvpmaddwd", "\tvfmadd", "\tvcvtph2ps", "%ymm"},
     {"%zmm", "{%k", "%k1", "%xmm16", "%ymm16", "\tvpdpwssd"}},
    {AIC_ARCH_X86_64,
     "avx2+avxvnni",
     {"{vex}\tvpdpbusd", "{vex}\tvpdpwssd", "\tvfmadd", "%ymm"},
     {"%zmm", "{%k", "%k1", "%xmm16", "%ymm16"}},
    {AIC_ARCH_X86_64, "avx512", {"\tvpmaddwd", "\tvfmadd", "\tvcvtph2ps", "%zmm"}, {"\tvpdp"}},
    {AIC_ARCH_X86_64,
     "avx512vnni",
     {"\tvpdpbusd", "\tvfmadd", "%zmm"},
     {"\tvcvtph2psx", "\tvfmadd231ph", "\ttdp", "\ttile"}},
    {AIC_ARCH_X86_64, "avx512fp16", {"\tvpdpbusd", "\tvfmadd", "%zmm"}, {"\ttdp", "\ttile"}},
    /* Without AVX512-FP16, whose moves and conversions LLVM would use. */
    {AIC_ARCH_X86_64,
     "amx",
     {"\tvpdpbusd", "\tvfmadd", "%zmm", "\ttdpbssd", "\ttdpbf16ps", "\tldtilecfg", "\ttilerelease"},
     {"\tvcvtph2psx", "\tvcvtps2phx", "\tvfmadd231ph", "\tvmovsh", "\tvmovw"}},
    {AIC_ARCH_AARCH64,
     "generic",
     {"\tmul", "\tfmul"},
     {"\tfmla", "\tfmadd", "\tsdot", "\tsmmla", "\tz0.", ".8h, v0.h"}},
    {AIC_ARCH_AARCH64, "neon", {"\tfmla", "\tsmull", "\tfcvtl"}, {"\tsdot", "\tsmmla", "\tfmlal", "\tz0."}},
    {AIC_ARCH_AARCH64, "dotprod", {"\tfmla", "\tsdot", "\tfcvtl"}, {"\tsmmla", "\tfmlal", "\tz0."}},
    {AIC_ARCH_AARCH64, "i8mm", {"\tfmla", "\tsmmla", "\tfcvtl"}, {"\tfmlal", "\tz0."}},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static const aic_target *target_of(int row)
{
    const aic_target *target = aic_target_find(rows[row].arch, rows[row].level);
    ck_assert_msg(target != NULL, "targets.def has no level %s", rows[row].level);
    return target;
}

static aic_spec parse(int number)
{
    aic_spec spec;
    ck_assert_msg(aic_spec_read(specs[number], &spec) == AIC_OK, "%s", aic_last_error());
    return spec;
}

static char *dump(int row, int number, aic_dump_stage stage, size_t *size)
{
    aic_spec spec = parse(number);
    char *bytes;
    aic_status status =
        aic_dump(NULL, &spec, NULL, stage, rows[row].level, aic_target_triple(rows[row].arch), &bytes, size);
    ck_assert_msg(status == AIC_OK, "%s: %s: %s", rows[row].level, specs[number], aic_last_error());
    return bytes;
}

/* ---- objects ---- */

typedef struct elf_object {
    const char *bytes;
    size_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *section;
} elf_object;

/* The contents of a table of `entry` byte entries, checked to lie within the object. */
static const void *table_of(const elf_object *o, const Elf64_Shdr *section, size_t entry)
{
    ck_assert_uint_eq(section->sh_entsize, entry);
    ck_assert_uint_le(section->sh_offset, o->size);
    ck_assert_uint_le(section->sh_size, o->size - section->sh_offset);
    return o->bytes + section->sh_offset;
}

static void open_object(elf_object *o, const char *bytes, size_t size, aic_arch arch)
{
    ck_assert_uint_gt(size, sizeof(Elf64_Ehdr));
    *o = (elf_object){.bytes = bytes, .size = size, .header = (const void *)bytes};
    ck_assert_mem_eq(o->header->e_ident, ELFMAG, SELFMAG);
    ck_assert_int_eq(o->header->e_ident[EI_CLASS], ELFCLASS64);
    ck_assert_int_eq(o->header->e_type, ET_REL);
    ck_assert_int_eq(o->header->e_machine, arch == AIC_ARCH_X86_64 ? EM_X86_64 : EM_AARCH64);
    ck_assert_uint_eq(o->header->e_shentsize, sizeof(Elf64_Shdr));
    ck_assert_uint_le(o->header->e_shoff + o->header->e_shnum * sizeof(Elf64_Shdr), size);
    o->section = (const void *)(bytes + o->header->e_shoff);
}

/* Relocations that only depend on the distance between two addresses of the object itself. */
static const uint32_t x86_relative[] = {R_X86_64_PC32, R_X86_64_PLT32};
static const uint32_t aarch64_relative[] = {
    R_AARCH64_CALL26,
    R_AARCH64_JUMP26,
    R_AARCH64_PREL32,
    R_AARCH64_ADR_PREL_LO21,
    R_AARCH64_ADR_PREL_PG_HI21,
    R_AARCH64_ADD_ABS_LO12_NC, /* with ADR_PREL_PG_HI21: the part within a page */
    R_AARCH64_LDST8_ABS_LO12_NC,
    R_AARCH64_LDST16_ABS_LO12_NC,
    R_AARCH64_LDST32_ABS_LO12_NC,
    R_AARCH64_LDST64_ABS_LO12_NC,
    R_AARCH64_LDST128_ABS_LO12_NC,
};

static bool is_relative(aic_arch arch, uint64_t type)
{
    bool x86 = arch == AIC_ARCH_X86_64;
    const uint32_t *types = x86 ? x86_relative : aarch64_relative;
    size_t count =
        x86 ? sizeof x86_relative / sizeof *x86_relative : sizeof aarch64_relative / sizeof *aarch64_relative;
    for (size_t i = 0; i < count; i++) {
        if (types[i] == type) {
            return true;
        }
    }
    return false;
}

static void check_relocations(const elf_object *o, const Elf64_Shdr *section, aic_arch arch)
{
    const Elf64_Rela *rela = table_of(o, section, sizeof *rela);
    for (size_t i = 0; i < section->sh_size / sizeof *rela; i++) {
        unsigned long type = ELF64_R_TYPE(rela[i].r_info);
        ck_assert_msg(is_relative(arch, type), "relocation of type %lu", type);
    }
}

/* The global symbols are functions of a kernel (record.h); nothing is undefined. Returns their roles, bits. */
static unsigned check_symbols(const elf_object *o, const Elf64_Shdr *section, const char *symbol)
{
    const Elf64_Sym *sym = table_of(o, section, sizeof *sym);
    const char *names = o->bytes + o->section[section->sh_link].sh_offset;
    size_t count = section->sh_size / sizeof *sym, globals = 0;
    unsigned found = 0;
    for (size_t i = 1; i < count; i++) {
        const char *name = names + sym[i].st_name;
        ck_assert_msg(sym[i].st_shndx != SHN_UNDEF, "%s is undefined", name);
        ck_assert_msg(sym[i].st_shndx != SHN_COMMON, "%s is common", name);
        if (ELF64_ST_BIND(sym[i].st_info) == STB_LOCAL) {
            continue;
        }
        globals++;
        ck_assert_msg(ELF64_ST_TYPE(sym[i].st_info) == STT_FUNC, "%s is no function", name);
        for (unsigned s = 0; s < AIC_FUNCTIONS; s++) {
            char expected[AIC_SYMBOL_MAX + 16];
            snprintf(expected, sizeof expected, "%s%s", symbol, aic_function_suffix[s]);
            found |= strcmp(name, expected) == 0 ? 1u << s : 0;
        }
    }
    ck_assert_uint_eq((size_t)__builtin_popcount(found), globals);
    return found;
}

/* Code and constants only: what is writable would be shared between calls. Returns the roles of its functions. */
static unsigned check_object(const elf_object *o, aic_arch arch, const char *symbol)
{
    int symbol_tables = 0;
    unsigned functions = 0;
    for (int i = 0; i < o->header->e_shnum; i++) {
        const Elf64_Shdr *section = &o->section[i];
        ck_assert_uint_ne(section->sh_type, SHT_REL);
        ck_assert_msg((section->sh_flags & SHF_WRITE) == 0 || section->sh_size == 0, "section %d is writable", i);
        if (section->sh_type == SHT_RELA) {
            check_relocations(o, section, arch);
        } else if (section->sh_type == SHT_SYMTAB) {
            functions = check_symbols(o, section, symbol);
            symbol_tables++;
        }
    }
    ck_assert_int_eq(symbol_tables, 1);
    return functions;
}

/* Every so many specifications are compiled again, other ones from level to level. */
enum { AGAIN = 4 };

/* What an object may refer to is the architecture's: its levels take turns with the specifications, and so do they
 * in the suite's other tests. */
enum { TURNS = 4 };

/* The same bytes a second time. */
static void check_again(int row, int number, const char *bytes, size_t size)
{
    size_t again_size;
    char *again = dump(row, number, AIC_DUMP_OBJ, &again_size);
    ck_assert_uint_eq(size, again_size);
    ck_assert_mem_eq(bytes, again, size);
    aic_free(again);
}

START_TEST(objects)
{
    const aic_target *target = target_of(_i);
    for (int number = 0; number < SPECS; number++) {
        if ((number + _i) % TURNS != 0 && levels_campaign() == 0) {
            continue;
        }
        aic_spec spec = parse(number);
        const aic_semantics semantics = aic_semantics_init();
        ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &spec), AIC_OK);
        aic_identity identity;
        const aic_codegen_request request = {
            .count = 1, .spec = &spec, .semantics = &semantics, .target = target, .machine = machine_of(NULL)};
        ck_assert_int_eq(aic_identity_create(&request, &identity), AIC_OK);
        size_t size;
        char *bytes = dump(_i, number, AIC_DUMP_OBJ, &size);
        elf_object object;
        open_object(&object, bytes, size, rows[_i].arch);
        ck_assert_uint_ne(check_object(&object, rows[_i].arch, identity.symbol) & 1u << AIC_FUNCTION_ENTRY, 0);
        if ((number + _i) % (TURNS * AGAIN) == 0 || levels_campaign() > 0) {
            check_again(_i, number, bytes, size);
        }
        aic_free(bytes);
        aic_identity_free(&identity);
    }
}
END_TEST

/* In two parts: the same functions, sizes and phases as the object in one, everything found that one part wants of the
 * other. Returns whether it is divided. */
static bool check_divided(aic_codegen_request request, const aic_object *whole)
{
    aic_object parts;
    request.divided = true;
    ck_assert_msg(aic_generator_linked()->object(&request, &parts) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_gt(whole->size, whole->image.size);
    ck_assert_uint_gt(parts.size, parts.image.size);
    ck_assert_mem_eq(&whole->requirements, &parts.requirements, sizeof parts.requirements);
    for (int f = 0; f < AIC_FUNCTIONS; f++) {
        ck_assert_int_eq(whole->image.function[f] == AIC_NO_FUNCTION, parts.image.function[f] == AIC_NO_FUNCTION);
    }
    const bool divided = parts.bytes == NULL;
    aic_object_free(&parts);
    return divided;
}

enum { GROUPS = (SPECS + AIC_GROUP_MAX / 2 - 1) / (AIC_GROUP_MAX / 2) };

/* Each alone, divided as well, and any of them as groups: one function, the workspace of the most demanding, equal ones
 * once. From level to level the groups take turns: each level has one. */
START_TEST(group_objects)
{
    const aic_target *target = target_of(_i);
    const aic_semantics semantics = aic_semantics_init();
    int parts = 0;
    for (int first = 0; first < SPECS; first += AIC_GROUP_MAX / 2) {
        if ((first / (AIC_GROUP_MAX / 2) + _i) % GROUPS != 0 && levels_campaign() == 0) {
            continue;
        }
        aic_spec spec[AIC_GROUP_MAX];
        size_t size = 0;
        int64_t most = 0;
        for (int i = 0; i < AIC_GROUP_MAX; i++) {
            spec[i] = parse((first + i / 2) % SPECS);
            ck_assert_int_eq(aic_spec_resolve_kernel(&spec[i], &semantics, &spec[i]), AIC_OK);
        }
        aic_codegen_request request = {
            .symbol = "kernel", .semantics = &semantics, .target = target, .machine = machine_of(NULL)};
        request.triple = aic_target_triple(rows[_i].arch);
        for (int i = 0; i < AIC_GROUP_MAX; i += 2) {
            aic_object one;
            request.count = 1, request.spec = &spec[i];
            ck_assert_msg(aic_generator_linked()->object(&request, &one) == AIC_OK, "%s", aic_last_error());
            const int64_t bytes = aic_workspace_bytes(&one.requirements, AIC_PLAIN);
            most = bytes > most ? bytes : most;
            size += one.size;
            parts += check_divided(request, &one);
            aic_object_free(&one);
        }
        request.count = AIC_GROUP_MAX, request.spec = spec;
        aic_object group;
        elf_object object;
        ck_assert_msg(aic_generator_linked()->object(&request, &group) == AIC_OK, "%s", aic_last_error());
        open_object(&object, group.bytes, group.size, rows[_i].arch);
        const bool phases = group.requirements.phases > 0;
        ck_assert_uint_eq(check_object(&object, rows[_i].arch, "kernel"),
                          1u << AIC_FUNCTION_ENTRY | (phases ? 1u << AIC_FUNCTION_PHASE : 0));
        ck_assert(group.image.function[AIC_FUNCTION_PACKED] == AIC_NO_FUNCTION);
        ck_assert(group.image.function[AIC_FUNCTION_PACK] == AIC_NO_FUNCTION);
        ck_assert_int_ge(aic_workspace_bytes(&group.requirements, AIC_PLAIN), most);
        ck_assert_uint_lt(group.size, size);
        aic_object_free(&group);
    }
    ck_assert_int_gt(parts, 0);
    ck_assert_int_lt(parts, SPECS);
}
END_TEST

/* ---- instructions ---- */

/* Looks at the assembly of a specification. */
static void see(const struct level_row *row, int number, const char *text, bool seen[WORDS])
{
    for (int i = 0; i < WORDS && row->has[i] != NULL; i++) {
        seen[i] = seen[i] || strstr(text, row->has[i]) != NULL;
    }
    for (int i = 0; i < WORDS && row->has_not[i] != NULL; i++) {
        ck_assert_msg(strstr(text, row->has_not[i]) == NULL, "%s: \"%s\" is in the code of %s", row->level,
                      row->has_not[i], specs[number]);
    }
}

static bool all_seen(const struct level_row *row, const bool seen[WORDS])
{
    bool all = true;
    for (int i = 0; i < WORDS && row->has[i] != NULL; i++) {
        all = all && seen[i];
    }
    return all;
}

/* Every other specification, other ones from level to level, and then the rest until all words have been seen. A
 * campaign goes through them all. */
START_TEST(instructions)
{
    bool seen[WORDS] = {false};
    for (int turn = 0; turn < 2; turn++) {
        for (int number = (_i + turn) % 2; number < SPECS; number += 2) {
            size_t size;
            if (turn > 0 && all_seen(&rows[_i], seen) && levels_campaign() == 0) {
                break;
            }
            char *text = dump(_i, number, AIC_DUMP_ASM, &size);
            ck_assert_uint_eq(strlen(text), size);
            see(&rows[_i], number, text, seen);
            aic_free(text);
        }
    }
    for (int i = 0; i < WORDS && rows[_i].has[i] != NULL; i++) {
        ck_assert_msg(seen[i], "%s: no code has \"%s\"", rows[_i].level, rows[_i].has[i]);
    }
}
END_TEST

/* A level that targets.def gains has a row here. */
START_TEST(every_level_has_a_row)
{
    int levels = 0;
    for (int arch = AIC_ARCH_X86_64; arch <= AIC_ARCH_AARCH64; arch++) {
        const aic_target *target;
        for (size_t i = 0; (target = aic_target_at((aic_arch)arch, i)) != NULL; i++, levels++) {
            bool found = false;
            for (int row = 0; row < ROWS; row++) {
                found = found || target_of(row) == target;
            }
            ck_assert_msg(found, "level %s is not tested", target->name);
        }
    }
    ck_assert_int_eq(levels, ROWS);
}
END_TEST

/* ---- levels that make the same code ---- */

enum { SCHEDULE_MAX = 1024 };

/* Two levels that run here try the same schedules. Gives the one of this number, "" where there is none. */
static void check_same_candidates(const aic_spec *spec, const char *const level[2], size_t number,
                                  char schedule[SCHEDULE_MAX])
{
    aic_context *context[2] = {NULL, NULL};
    bool more = true;
    for (int i = 0; i < 2 && more; i++) {
        aic_context_options options = aic_context_options_init();
        options.isa = level[i];
        more = aic_isa_check(level[i]) == AIC_OK;
        ck_assert_int_eq(more ? aic_context_create(&options, &context[i]) : AIC_OK, AIC_OK);
    }
    schedule[0] = '\0';
    for (size_t candidate = 0; more; candidate++) {
        char text[2][SCHEDULE_MAX] = {"", ""};
        for (int i = 0; i < 2; i++) {
            (void)aic_schedule_candidate(context[i], spec, candidate, text[i], SCHEDULE_MAX);
        }
        more = text[0][0] != '\0';
        ck_assert_msg(strcmp(text[0], text[1]) == 0, "%s: %s\n%s: %s", level[0], text[0], level[1], text[1]);
        if (candidate == number) {
            memcpy(schedule, text[0], SCHEDULE_MAX);
        }
    }
    aic_context_destroy(context[0]);
    aic_context_destroy(context[1]);
}

static aic_object object_of(const aic_codegen_request *request, const char *level)
{
    aic_codegen_request at_level = *request;
    aic_object object;
    at_level.target = aic_target_find(AIC_ARCH_X86_64, level);
    ck_assert_msg(aic_generator_linked()->object(&at_level, &object) == AIC_OK, "%s", aic_last_error());
    return object;
}

/* By candidate number `number`, the default one where there is no such. Sets take turns. */
static void check_twins(const aic_spec *spec, size_t number, uint64_t turn)
{
    const aic_semantics semantics = aic_semantics_init();
    aic_codegen_request request = {
        .symbol = "kernel", .semantics = &semantics, .machine = machine_of(NULL), .count = 1};
    aic_spec canonical;
    char schedule[SCHEDULE_MAX];
    ck_assert_int_eq(aic_spec_resolve_kernel(spec, &semantics, &canonical), AIC_OK);
    request.spec = &canonical;
    request.triple = aic_target_triple(AIC_ARCH_X86_64);
    const levels_twins *twins;
    for (size_t set = 0; (twins = levels_twins_get(set)) != NULL; set++) {
        const bool is_turn = (turn + set) % 2 == 0 || levels_campaign() > 0;
        if ((twins->kinds >> levels_kind_of(spec) & 1) == 0 || !is_turn) {
            continue;
        }
        check_same_candidates(spec, twins->level, number, schedule);
        request.schedule = schedule[0] == '\0' ? NULL : schedule;
        aic_object first = object_of(&request, twins->level[0]);
        for (const char *const *level = twins->level + 1; *level != NULL; level++) {
            aic_object object = object_of(&request, *level);
            ck_assert_msg(object.image.size == first.image.size &&
                              memcmp(object.image.bytes, first.image.bytes, first.image.size) == 0,
                          "%s: another code than %s", *level, twins->level[0]);
            aic_object_free(&object);
        }
        aic_object_free(&first);
    }
}

/* Of suites that leave a case to one of the twins, besides the specifications that are drawn: groups, small_tiles. */
static const char *const twin_specs[] = {
    "conv2d(dtype=float16, fm_shape=[2,6,9,16], kernel_shape=[1,3,3,32,1], pad=[1,1,1,1], groups=32)",
    "conv2d(dtype=float16, fm_shape=[2,6,9,16], kernel_shape=[1,3,3,32,2], pad=[1,1,1,1], groups=16)",
    "conv2d(dtype=float16, accumulate=fast, fm_shape=[2,6,9,16], kernel_shape=[1,3,3,32,1], pad=[1,1,1,1], groups=32)",
    "conv2d(dtype=float16, accumulate=fast, fm_shape=[4,4,5,16], kernel_shape=[2,3,3,80,16], groups=2)",
    "conv2d(dtype=float16, accumulate=winograd, fm_shape=[2,11,6,16], kernel_shape=[2,3,3,80,16], pad=[2,1,0,1])",
    "conv2d(dtype=float16, accumulate=winograd, fm_shape=[1,7,10,4], kernel_shape=[1,3,3,48,4], pad=[1,1,1,1])",
    ("conv2d(dtype=float16, accumulate=winograd, fm_shape=[1,9,10,16], kernel_shape=[1,3,3,32,16], pad=[1,1,1,1], "
     "init_l1out=false, l1out=channel) | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)"),
};

/* The default schedule and another one. */
START_TEST(twins_of_kinds)
{
    static const size_t CANDIDATES[] = {0, 7};
    for (size_t i = 0; i < sizeof twin_specs / sizeof *twin_specs; i++) {
        aic_spec spec;
        ck_assert_msg(aic_spec_read(twin_specs[i], &spec) == AIC_OK, "%s", aic_last_error());
        for (size_t c = 0; c < sizeof CANDIDATES / sizeof *CANDIDATES; c++) {
            check_twins(&spec, CANDIDATES[c], i + c);
        }
    }
}
END_TEST

/* The suite kernels leaves a case to one of the twins. */
START_TEST(twins)
{
    enum { SEEDS = 3 };
    const aic_op op = (aic_op)_i;
    aic_spec spec;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        ck_assert_int_eq(aic_spec_draw(op, NULL, seed, &spec), AIC_OK);
        check_twins(&spec, seed, seed);
        if (aic_spec_draw_chain(op, AIC_OP_NONE, NULL, seed, &spec) == AIC_OK) {
            check_twins(&spec, seed, seed + 1);
        }
    }
    for (int number = 0; number < SPECS; number++) {
        spec = parse(number);
        if (spec.stage[0].op == op) {
            check_twins(&spec, 0, (uint64_t)number);
        }
    }
}
END_TEST

Suite *suite_targets(void)
{
    Suite *suite = suite_create("targets");
    TCase *tcase = tcase_create("targets");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, every_level_has_a_row);
    tcase_add_loop_test(tcase, objects, 0, ROWS);
    tcase_add_loop_test(tcase, group_objects, 0, ROWS);
    tcase_add_loop_test(tcase, instructions, 0, ROWS);
    tcase_add_test(tcase, twins_of_kinds);
    tcase_add_loop_test(tcase, twins, AIC_OP_NONE + 1, AIC_OP_END);
    suite_add_tcase(suite, tcase);
    return suite;
}
