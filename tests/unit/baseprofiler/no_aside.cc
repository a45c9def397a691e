// What our syscall(2) calls for a few numbers, without a profiler that could step aside or be told.
#include "geckoprof/base/raw_syscall.h"

extern "C" long geckoprof_syscall_aside(long number, long a, long b, long c, long d, long e, long f) {
  return geckoprof::RawSyscall(number, a, b, c, d, e, f);
}
extern "C" void geckoprof_syscall_clones(unsigned long) {}
