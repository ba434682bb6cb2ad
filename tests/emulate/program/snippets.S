/* The instructions under test, as an assembler encodes them. Functions of C unless said otherwise. */
        .text

        .macro function name
        .globl  \name
        .type   \name, @function
\name:
        .endm

/* ---- one operand in %rdi ---- */

        function amx_ldtilecfg
        ldtilecfg (%rdi)
        ret
        function amx_sttilecfg
        sttilecfg (%rdi)
        ret
        function amx_tilerelease
        tilerelease
amx_return:
        .globl  amx_return
        ret
        function amx_ud2
        ud2
        ret

/* void amx_sequence(const void *address, int64_t stride): tile 0 zeroed, tile 1 loaded, tile 7 zeroed, tile 2 zeroed. */
        function amx_sequence
        tilezero %tmm0
        tileloadd (%rdi,%rsi,1), %tmm1
        function amx_sequence_third
        tilezero %tmm7
        tilezero %tmm2
        ret

/* long amx_send_then_tilezero(int process, int thread, int signal): tgkill() to the thread itself, which is interrupted
 * where tile 0 is to be zeroed. */
        function amx_send_then_tilezero
        mov     $234, %eax
        syscall
        tilezero %tmm0
        ret

/* ---- by tile: tables of functions, AMX_STEP bytes apart; address in %rdi, stride in %rsi ---- */

        .balign 16
        function amx_tilezero_table
        .irp    tile, 0, 1, 2, 3, 4, 5, 6, 7
        .balign 16
        tilezero %tmm\tile
        ret
        .endr
        .balign 16
        function amx_tileloadd_table
        .irp    tile, 0, 1, 2, 3, 4, 5, 6, 7
        .balign 16
        tileloadd (%rdi,%rsi,1), %tmm\tile
        ret
        .endr
        .balign 16
        function amx_tileloaddt1_table
        .irp    tile, 0, 1, 2, 3, 4, 5, 6, 7
        .balign 16
        tileloaddt1 (%rdi,%rsi,1), %tmm\tile
        ret
        .endr
        .balign 16
        function amx_tilestored_table
        .irp    tile, 0, 1, 2, 3, 4, 5, 6, 7
        .balign 16
        tilestored %tmm\tile, (%rdi,%rsi,1)
        ret
        .endr

/* Products: number 64 c + 8 a + b of five tables. Of two equal tiles, which the assembler refuses, there is nothing. */
        .macro products mnemonic
        .balign 16
        function amx_\mnemonic\()_table
        .irp    c, 0, 1, 2, 3, 4, 5, 6, 7
        .irp    a, 0, 1, 2, 3, 4, 5, 6, 7
        .irp    b, 0, 1, 2, 3, 4, 5, 6, 7
        .balign 16
        .if     (\c - \a) * (\c - \b) * (\a - \b)
        \mnemonic %tmm\b, %tmm\a, %tmm\c
        .endif
        ret
        .endr
        .endr
        .endr
        .endm

        products tdpbssd
        products tdpbsud
        products tdpbusd
        products tdpbuud
        products tdpbf16ps

/* ---- what an assembler does not make: all raise #UD ---- */

        .balign 16
        function amx_invalid_table
        .irp    third, 0xd1, 0xd9, 0xc8     /* tdpbssd of tiles 2, 1, 1; 3, 1, 1; 1, 0, 1 */
        .balign 16
        .byte   0xc4, 0xe2, 0x73, 0x5e, \third
        ret
        .endr
        .balign 16
        .byte   0xc4, 0xe2, 0x33, 0x5e, 0xd0 /* tdpbssd with tile 9 as second factor */
        ret
        .balign 16
        .byte   0xc4, 0x62, 0x7b, 0x49, 0xc0 /* tilezero of tile 8 */
        ret
        .balign 16
        .byte   0xc4, 0xe2, 0xfb, 0x49, 0xc0 /* tilezero with W1 */
        ret
        .balign 16
        .byte   0xc4, 0xe2, 0x7f, 0x49, 0xc0 /* tilezero with L1 */
        ret
        .balign 16
        .byte   0xc4, 0xe2, 0x73, 0x49, 0xc0 /* tilezero with vvvv */
        ret
        .balign 16
        .byte   0xc4, 0xe2, 0x7b, 0x4b, 0x07 /* tileloadd (%rdi) without SIB */
        ret
        .balign 16
        .byte   0xc4, 0xe2, 0x78, 0x49, 0xc1 /* tilerelease with another ModRM */
        ret
        .balign 16
        .byte   0x66, 0xc4, 0xe2, 0x78, 0x49, 0xc0 /* tilerelease after prefix 66 */
        ret

/* ---- addresses: snippets of code, not functions; amx_run_snippet() enters them, they jump back ---- */

/* Every base, with no index, or with every index and scale, with no displacement, one of 8 and one of 32 bits. */
        .macro  addresses name, opcode, tile
        .balign 32
        .globl  \name
\name:
        .irp    base, rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
        .irp    displacement, 0, -128, 0x12340
        .balign 32
        \opcode \displacement(%\base)\tile
        jmp     amx_snippet_back
        .irp    index, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
        .irp    scale, 1, 2, 4, 8
        .balign 32
        \opcode \displacement(%\base,%\index,\scale)\tile
        jmp     amx_snippet_back
        .endr
        .endr
        .endr
        .endr
        .endm

        addresses amx_load_snippets, tileloadd, ", %tmm1"
        addresses amx_describe_snippets, sttilecfg

        .balign 32
        .globl  amx_special_snippets
amx_special_snippets:
        ldtilecfg amx_near_config(%rip)
        jmp     amx_snippet_back
        .balign 32
        sttilecfg amx_near_config+64(%rip)
        jmp     amx_snippet_back
        .balign 32
        tileloadd 0x20000000(,%rcx,2), %tmm1
        jmp     amx_snippet_back
        .balign 32
        tileloadd %fs:64(%rax,%rcx,1), %tmm1
        jmp     amx_snippet_back
        .balign 32
        tileloadd %gs:64(%rax,%rcx,1), %tmm1
        jmp     amx_snippet_back
        .balign 32
        sttilecfg %fs:(%rax)
        jmp     amx_snippet_back

/* void amx_run_snippet(const void *snippet, uint64_t registers[16]): general registers by number, written back afterwards.
 * One thread at a time. */
        .balign 16
        function amx_run_snippet
        push    %rbx
        push    %rbp
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, amx_saved_rsp(%rip)
        mov     %rdi, amx_snippet(%rip)
        mov     %rsi, amx_registers(%rip)
        mov     %rsi, %rax
        mov     8(%rax), %rcx
        mov     16(%rax), %rdx
        mov     24(%rax), %rbx
        mov     32(%rax), %rsp
        mov     40(%rax), %rbp
        mov     48(%rax), %rsi
        mov     56(%rax), %rdi
        mov     64(%rax), %r8
        mov     72(%rax), %r9
        mov     80(%rax), %r10
        mov     88(%rax), %r11
        mov     96(%rax), %r12
        mov     104(%rax), %r13
        mov     112(%rax), %r14
        mov     120(%rax), %r15
        mov     0(%rax), %rax
        jmp     *amx_snippet(%rip)
amx_snippet_back:
        mov     %rax, amx_saved_rax(%rip)
        mov     amx_registers(%rip), %rax
        mov     %rcx, 8(%rax)
        mov     %rdx, 16(%rax)
        mov     %rbx, 24(%rax)
        mov     %rsp, 32(%rax)
        mov     %rbp, 40(%rax)
        mov     %rsi, 48(%rax)
        mov     %rdi, 56(%rax)
        mov     %r8, 64(%rax)
        mov     %r9, 72(%rax)
        mov     %r10, 80(%rax)
        mov     %r11, 88(%rax)
        mov     %r12, 96(%rax)
        mov     %r13, 104(%rax)
        mov     %r14, 112(%rax)
        mov     %r15, 120(%rax)
        mov     amx_saved_rax(%rip), %rcx
        mov     %rcx, 0(%rax)
        mov     amx_saved_rsp(%rip), %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbp
        pop     %rbx
        ret

        .local  amx_saved_rsp, amx_saved_rax, amx_snippet, amx_registers
        .comm   amx_saved_rsp, 8, 8
        .comm   amx_saved_rax, 8, 8
        .comm   amx_snippet, 8, 8
        .comm   amx_registers, 8, 8
        .globl  amx_near_config
        .comm   amx_near_config, 128, 64

        .section .note.GNU-stack, "", @progbits
