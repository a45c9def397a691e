// long syscall(long number, ...): jumps to the next function of that name, unless the call is futex(2) or
// io_uring_enter(2). It touches no argument. The seventh is on the stack, and the caller may have passed fewer.
        .text
        .globl  syscall
        .type   syscall, @function
syscall:
        .cfi_startproc
        cmpq    $202, %rdi
        je      1f
        cmpq    $426, %rdi
        je      1f
        movq    geckoprof_next_syscall(%rip), %rax
        testq   %rax, %rax
        je      1f
        jmp     *%rax
1:      jmp     geckoprof_call_slowly
        .cfi_endproc
        .size   syscall, . - syscall
        .section .note.GNU-stack, "", @progbits
