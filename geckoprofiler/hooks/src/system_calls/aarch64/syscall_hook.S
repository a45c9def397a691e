// long syscall(long number, ...): jumps to the next function of that name, unless the call is futex(2) or
// io_uring_enter(2).
        .text
        .globl  syscall
        .type   syscall, %function
syscall:
        .cfi_startproc
        cmp     x0, #98
        b.eq    1f
        cmp     x0, #426
        b.eq    1f
        adrp    x16, geckoprof_next_syscall
        ldr     x16, [x16, :lo12:geckoprof_next_syscall]
        cbz     x16, 1f
        br      x16
1:      b       geckoprof_call_slowly
        .cfi_endproc
        .size   syscall, . - syscall
        .section .note.GNU-stack, "", %progbits
