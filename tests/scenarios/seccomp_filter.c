// seccomp_filter ACTION CALL [tsync]: installs a filter that denies a system call, works for 200 ms, ends well.
//
//   ACTION   errno (the call fails with EPERM) or kill (the whole process)
//   CALL     open, openat, clone, tgkill, rt_tgsigqueueinfo, clock_nanosleep, futex, all
//   tsync    the filter holds for every thread of the process, not only for the caller
//
// The program itself makes none of these calls afterwards: bare it prints two lines and exits with 0.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct {
  const char* name;
  int number;
} kCalls[] = {
#ifdef __NR_open
    {"open", __NR_open},
#endif
    {"openat", __NR_openat},
    {"clone", __NR_clone},
    {"tgkill", __NR_tgkill},
    {"rt_tgsigqueueinfo", __NR_rt_tgsigqueueinfo},
    {"clock_nanosleep", __NR_clock_nanosleep},
    {"futex", __NR_futex},
    {"getpid", __NR_getpid},
};
enum { kCallCount = sizeof kCalls / sizeof kCalls[0] };

static int InstallFilter(unsigned action, const char* denied, unsigned flags) {
  struct sock_filter code[2 * kCallCount + 2];
  unsigned short size = 0;
  code[size++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < kCallCount; i++) {
    if (strcmp(denied, "all") != 0 && strcmp(denied, kCalls[i].name) != 0) continue;
    code[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)kCalls[i].number, 0, 1);
    code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
  }
  if (size == 1) return EINVAL;
  code[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog program = {size, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (flags == 0) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0 ? 0 : errno;
}

static void WorkFor(long ns) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < ns);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned action =
      strcmp(argv[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
  const unsigned flags = argc > 3 && strcmp(argv[3], "tsync") == 0 ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  WorkFor(50L * 1000 * 1000);
  const int error = InstallFilter(action, argv[2], flags);
  if (error != 0) return error == EINVAL ? 2 : 77;
  puts("filter installed");
  WorkFor(200L * 1000 * 1000);
  puts("work done");
  return 0;
}
