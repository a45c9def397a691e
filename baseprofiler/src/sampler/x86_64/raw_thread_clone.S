// long geckoprof_clone_thread(flags, stack_end, tid, control_block, function, argument)
//                             rdi    rsi        rdx  rcx            r8        r9
// kernel: clone(flags, stack, parent_tid, child_tid, tls)
//               rdi    rsi    rdx         r10        r8
        .text
        .globl  geckoprof_clone_thread
        .hidden geckoprof_clone_thread
        .type   geckoprof_clone_thread, @function
geckoprof_clone_thread:
        .cfi_startproc
        subq    $16, %rsi
        movq    %r8, 8(%rsi)            // function
        movq    %r9, 0(%rsi)            // argument
        movq    %rdx, %r10
        movq    %rcx, %r8
        movl    $56, %eax               // SYS_clone
        syscall
        testq   %rax, %rax
        jz      1f
        ret
1:      .cfi_undefined rip              // the thread's outermost frame
        xorl    %ebp, %ebp
        popq    %rdi
        popq    %rax
        call    *%rax
        movl    %eax, %edi
        movl    $60, %eax               // SYS_exit: this thread only
        syscall
        hlt
        .cfi_endproc
        .size   geckoprof_clone_thread, . - geckoprof_clone_thread
        .section .note.GNU-stack, "", @progbits
