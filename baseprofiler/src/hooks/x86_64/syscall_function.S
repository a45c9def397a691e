// long syscall(long number, ...), as libc's (syscall(2)), with three differences:
// - The number is on top of the stack while the kernel runs. A call that the sampler's signal interrupted can then be
//   issued again.
// - Some calls demand a single thread, install a seccomp filter, or ask to be traced. The sampler steps aside for them.
// - The child of some calls returns on another stack or shares this one. They run with no data of base on the stack.
//   Before a clone into namespaces of its own, base notes it for the profile.
        .section .rodata
        .balign 8
// The table has one bit for each call number. These bits are set:
//   exit 60, ptrace 101, setuid 105, setgid 106, setreuid 113, setregid 114, setgroups 116, setresuid 117,
//   setresgid 119, setfsuid 122, setfsgid 123, capset 126, prctl 157, chroot 161, unshare 272, setns 308, seccomp 317,
//   landlock_restrict_self 446
set_apart:
        .quad   1 << 60
        .quad   (1 << (101 - 64)) | (1 << (105 - 64)) | (1 << (106 - 64)) | (1 << (113 - 64)) | (1 << (114 - 64)) | (1 << (116 - 64)) | (1 << (117 - 64)) | (1 << (119 - 64)) | (1 << (122 - 64)) | (1 << (123 - 64)) | (1 << (126 - 64))
        .quad   (1 << (157 - 128)) | (1 << (161 - 128))
        .quad   0
        .quad   (1 << (272 - 256)) | (1 << (308 - 256)) | (1 << (317 - 256))
        .quad   0, 1 << (446 - 384), 0

        .text
        .globl  syscall
        .type   syscall, @function
        .globl  geckoprof_syscall_return
        .hidden geckoprof_syscall_return
syscall:
        .cfi_startproc
        cmpq    $512, %rdi
        jae     1f
        movq    %rdi, %rax
        shrq    $6, %rax
        leaq    set_apart(%rip), %r11
        movq    (%r11, %rax, 8), %rax
        btq     %rdi, %rax
        jc      3f
        cmpq    $56, %rdi               // clone
        je      5f
        cmpq    $58, %rdi               // vfork
        je      5f
        cmpq    $435, %rdi              // clone3
        je      5f
1:      pushq   %rdi
        .cfi_adjust_cfa_offset 8
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    16(%rsp), %r9
        syscall
geckoprof_syscall_return:
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
2:      cmpq    $-4095, %rax
        jae     4f
        ret
3:      pushq   8(%rsp)                 // the seventh argument
        .cfi_adjust_cfa_offset 8
        call    geckoprof_syscall_aside
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     2b
5:      cmpq    $56, %rdi
        jne     6f
        testl   $0x20020000, %esi       // CLONE_NEWPID | CLONE_NEWNS
        jnz     7f
6:      movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        movq    %r8, %r10
        movq    %r9, %r8
        movq    8(%rsp), %r9
        syscall
        jmp     2b
7:      pushq   %rdi
        pushq   %rsi
        pushq   %rdx
        pushq   %rcx
        pushq   %r8
        pushq   %r9
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 56
        movq    %rsi, %rdi
        call    geckoprof_syscall_clones
        addq    $8, %rsp
        popq    %r9
        popq    %r8
        popq    %rcx
        popq    %rdx
        popq    %rsi
        popq    %rdi
        .cfi_adjust_cfa_offset -56
        jmp     6b
4:      pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_offset %rbx, -16
        movl    %eax, %ebx
        negl    %ebx
        call    *__errno_location@GOTPCREL(%rip)
        movl    %ebx, (%rax)
        movq    $-1, %rax
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        ret
        .cfi_endproc
        .size   syscall, . - syscall
        .section .note.GNU-stack, "", @progbits
