// Continues a call that our signal cut short (see unfinished_transfer.h).
//
//   rax: number << 32 | count so far     rcx: return address     r11: libc's function that made the call, or 0
//
// The other registers are as the call left them. It had left the flags in r11, too (Intel SDM).
// For the unwinder, this is a function whose return address lies below the red zone of its caller.
        .text
        .globl  geckoprof_finish_transfer
        .hidden geckoprof_finish_transfer
        .type   geckoprof_finish_transfer, @function
geckoprof_finish_transfer:
        .cfi_startproc
        .cfi_def_cfa_offset 0
        .cfi_register 16, 2             // the return address is in rcx
        leaq    -128(%rsp), %rsp
        .cfi_def_cfa_offset 128
        pushq   %rcx
        .cfi_def_cfa_offset 136
        .cfi_offset 16, -136
        pushfq
        pushq   %r11
        .cfi_def_cfa_offset 152
        pushq   %r9                     // builds a TransferFrame from here down
        pushq   %r8
        pushq   %r10
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        movl    %eax, %ecx
        shrq    $32, %rax
        pushq   %rcx
        pushq   %rax
        .cfi_def_cfa_offset 216
        cld
        movq    %rsp, %rdi
        call    geckoprof_move_rest
        leaq    16(%rsp), %rsp
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %r10
        popq    %r8
        popq    %r9
        leaq    8(%rsp), %rsp
        popfq
        movq    -8(%rsp), %r11
        .cfi_def_cfa_offset 136
        popq    %rcx
        .cfi_def_cfa_offset 128
        .cfi_register 16, 2
        leaq    128(%rsp), %rsp
        .cfi_def_cfa_offset 0
        jmp     *%rcx
        .cfi_endproc
        .size   geckoprof_finish_transfer, . - geckoprof_finish_transfer

// long geckoprof_transfer_call(const TransferCall* call, uint64_t* rcx_after, function, int* cancelled)
// The function is libc's or geckoprof_plain_call. The handler knows a part of a transfer by the address to which the
// function returns.
        .globl  geckoprof_transfer_call
        .hidden geckoprof_transfer_call
        .type   geckoprof_transfer_call, @function
        .globl  geckoprof_transfer_return
        .hidden geckoprof_transfer_return
geckoprof_transfer_call:
        .cfi_startproc
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   56(%rdi)
        .cfi_adjust_cfa_offset 8
        pushq   48(%rdi)
        .cfi_adjust_cfa_offset 8
        movq    %rdx, %rax
        movq    %rcx, %r11
        movq    0(%rdi), %rsi
        movq    16(%rdi), %rdx
        movq    24(%rdi), %rcx
        movq    32(%rdi), %r8
        movq    40(%rdi), %r9
        movq    %r11, %rdi
        call    *%rax
geckoprof_transfer_return:
        leaq    16(%rsp), %rsp
        .cfi_adjust_cfa_offset -16
        popq    %r11
        .cfi_adjust_cfa_offset -8
        movq    %rcx, (%r11)
        ret
        .cfi_endproc
        .size   geckoprof_transfer_call, . - geckoprof_transfer_call

// long geckoprof_plain_call(unused, number, 6 arguments)
// As libc's function, it leaves rcx as the kernel set it, and ends in the bytes by which the handler knows such calls.
        .globl  geckoprof_plain_call
        .hidden geckoprof_plain_call
        .type   geckoprof_plain_call, @function
        .p2align 6                      // in one page
geckoprof_plain_call:
        .cfi_startproc
        movq    %rsi, %rax
        movq    %rdx, %rdi
        movq    %rcx, %rsi
        movq    %r8, %rdx
        movq    %r9, %r10
        movq    8(%rsp), %r8
        movq    16(%rsp), %r9
        movq    %r11, 8(%rsp)
        syscall
        ret
        .cfi_endproc
        .size   geckoprof_plain_call, . - geckoprof_plain_call
        .section .note.GNU-stack, "", @progbits
