// long geckoprof_clone_thread(flags, stack_end, tid, control_block, function, argument)
//                             x0     x1         x2   x3             x4        x5
// kernel: clone(flags, stack, parent_tid, tls, child_tid)
//               x0     x1     x2          x3   x4
        .text
        .globl  geckoprof_clone_thread
        .hidden geckoprof_clone_thread
        .type   geckoprof_clone_thread, %function
geckoprof_clone_thread:
        .cfi_startproc
        stp     x4, x5, [x1, #-16]!     // function, argument
        mov     x4, x2
        mov     x8, 220                // SYS_clone
        svc     0
        cbz     x0, 1f
        ret
1:      .cfi_undefined x30              // the thread's outermost frame
        mov     x29, 0
        ldp     x1, x0, [sp], 16
        blr     x1
        mov     x8, 93                 // SYS_exit: this thread only
        svc     0
        brk     0
        .cfi_endproc
        .size   geckoprof_clone_thread, . - geckoprof_clone_thread
        .section .note.GNU-stack, "", %progbits
