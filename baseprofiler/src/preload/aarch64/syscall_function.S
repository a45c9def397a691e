// On aarch64 libc's own syscall(2) serves: an interrupted call cannot be issued again there (see interrupted_context.cc).
        .section .note.GNU-stack, "", %progbits
