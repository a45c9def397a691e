// filtered_exec: CALL [COMMAND...]: puts itself under a seccomp filter that kills whoever makes that system call, and
// then becomes the command, or a shell that works for a moment.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char* name;
  unsigned number;
} kCalls[] = {
    {"close_range", SYS_close_range},
    {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
    {"process_vm_readv", SYS_process_vm_readv},
    {"getpid", SYS_getpid},
    {"getppid", SYS_getppid},
    {"gettid", SYS_gettid},
    {"geteuid", SYS_geteuid},
    {"prctl", SYS_prctl},
    {"symlinkat", SYS_symlinkat},
    {"clone", SYS_clone},
    {"madvise", SYS_madvise},
    {"rt_sigprocmask", SYS_rt_sigprocmask},
    {"futex", SYS_futex},
    {"faccessat", SYS_faccessat},
};

int main(int argc, char** argv) {
  unsigned call = SYS_close_range;
  for (unsigned i = 0; i < sizeof kCalls / sizeof kCalls[0]; i++) {
    if (argc > 1 && strcmp(argv[1], kCalls[i].name) == 0) call = kCalls[i].number;
  }
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 77;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 77;
  if (argc > 2) {
    execvp(argv[2], argv + 2);
    return 1;
  }
  execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo fine", (char*)NULL);
  return 1;
}
