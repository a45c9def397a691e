// Continues a call that our signal cut short (see unfinished_transfer.h).
//
//   rax: number << 32 | count so far     rcx: return address     other registers: as the call left them
//
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
        pushq   %r9                     // builds a TransferCall from its end
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
        popq    %r11
        popfq
        .cfi_def_cfa_offset 136
        popq    %rcx
        .cfi_def_cfa_offset 128
        .cfi_register 16, 2
        leaq    128(%rsp), %rsp
        .cfi_def_cfa_offset 0
        jmp     *%rcx
        .cfi_endproc
        .size   geckoprof_finish_transfer, . - geckoprof_finish_transfer

// long geckoprof_transfer_call(const TransferCall* call, uint64_t* rcx_after)
        .globl  geckoprof_transfer_call
        .hidden geckoprof_transfer_call
        .type   geckoprof_transfer_call, @function
        .globl  geckoprof_transfer_return
        .hidden geckoprof_transfer_return
geckoprof_transfer_call:
        .cfi_startproc
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        movq    0(%rdi), %rax
        movq    24(%rdi), %rsi
        movq    32(%rdi), %rdx
        movq    40(%rdi), %r10
        movq    48(%rdi), %r8
        movq    56(%rdi), %r9
        movq    16(%rdi), %rdi
        syscall
geckoprof_transfer_return:
        popq    %r11
        .cfi_adjust_cfa_offset -8
        movq    %rcx, (%r11)
        ret
        .cfi_endproc
        .size   geckoprof_transfer_call, . - geckoprof_transfer_call
        .section .note.GNU-stack, "", @progbits
