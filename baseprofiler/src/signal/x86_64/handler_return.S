// The return from a handler of the program, as libc's __restore_rt, with a mark for RepairInterruptedCall
// (see handler_return.h).
//
// The stack pointer is at the ucontext_t, because the handler's `ret` has removed the return address. These are the
// places of the registers in it.
        .equ    R8, 40
        .equ    R9, 48
        .equ    R10, 56
        .equ    R11, 64
        .equ    R12, 72
        .equ    R13, 80
        .equ    R14, 88
        .equ    R15, 96
        .equ    RDI, 104
        .equ    RSI, 112
        .equ    RBP, 120
        .equ    RBX, 128
        .equ    RDX, 136
        .equ    RAX, 144
        .equ    RCX, 152
        .equ    RSP, 160
        .equ    RIP, 168
        .equ    RFLAGS, 176

// The register's value is in memory at rsp + place (DW_CFA_expression, DW_OP_breg7 and a LEB128 number of two bytes).
        .macro  is_at register, place
        .cfi_escape 0x10, \register, 3, 0x77, (\place & 0x7f) | 0x80, \place >> 7
        .endm

        .text
        .globl  geckoprof_handler_return
        .hidden geckoprof_handler_return
        .type   geckoprof_handler_return, @function
        .balign 16
        .cfi_startproc
        .cfi_signal_frame
        // The frame before is at the saved rsp (DW_CFA_def_cfa_expression, DW_OP_breg7, DW_OP_deref).
        .cfi_escape 0x0f, 4, 0x77, (RSP & 0x7f) | 0x80, RSP >> 7, 0x06
        is_at   0, RAX
        is_at   1, RDX
        is_at   2, RCX
        is_at   3, RBX
        is_at   4, RSI
        is_at   5, RDI
        is_at   6, RBP
        is_at   7, RSP
        is_at   8, R8
        is_at   9, R9
        is_at   10, R10
        is_at   11, R11
        is_at   12, R12
        is_at   13, R13
        is_at   14, R14
        is_at   15, R15
        is_at   16, RIP
        nop                             // unwinders look up the byte before a return address
geckoprof_handler_return:
        // `syscall` leaves the return address in rcx and the flags in r11 (Intel SDM). Both hold no value of the program.
        movq    RIP(%rsp), %rax
        cmpq    %rax, RCX(%rsp)
        jne     1f
        movq    RFLAGS(%rsp), %rax
        cmpq    %rax, R11(%rsp)
        jne     1f
        movq    $1, RCX(%rsp)           // not 0, which is the mark of geckoprof_transfer_call
1:      movq    $15, %rax               // rt_sigreturn
        syscall
        .cfi_endproc
        .size   geckoprof_handler_return, . - geckoprof_handler_return
        .section .note.GNU-stack, "", @progbits
