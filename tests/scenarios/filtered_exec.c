// filtered_exec: CALL: puts itself under a seccomp filter that kills whoever makes that system call (close_range,
// rt_tgsigqueueinfo, process_vm_readv), and then becomes a shell that works for a moment.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "close_range";
  const unsigned call = strcmp(name, "rt_tgsigqueueinfo") == 0  ? SYS_rt_tgsigqueueinfo
                        : strcmp(name, "process_vm_readv") == 0 ? SYS_process_vm_readv
                                                                : SYS_close_range;
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 77;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 77;
  execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo fine", (char*)NULL);
  return 1;
}
