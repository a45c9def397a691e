#include "geckoprof/base/clock.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include <atomic>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

// Searches through the section headers. The kernel maps the image as it was linked, with these headers. Newer images
// have no DT_HASH, which would give the number of symbols.
void* FindVdsoFunction(uintptr_t image, std::string_view name) {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(image);
  if (image == 0 || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return nullptr;
  }
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(image + header->e_shoff);
  for (uint32_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= header->e_shnum) continue;
    const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(image + sections[i].sh_offset);
    const auto* const names = reinterpret_cast<const char*>(image + sections[sections[i].sh_link].sh_offset);
    for (uint64_t at = 0; at < sections[i].sh_size / sizeof(Elf64_Sym); ++at) {
      const bool is_function = ELF64_ST_TYPE(symbols[at].st_info) == STT_FUNC && symbols[at].st_shndx != SHN_UNDEF;
      if (is_function && name == names + symbols[at].st_name)
        return reinterpret_cast<void*>(image + symbols[at].st_value);
    }
  }
  return nullptr;
}

namespace {

int64_t ToNs(const timespec& time) { return int64_t{time.tv_sec} * kNsPerSecond + time.tv_nsec; }

// Returns the kernel's number for "CPU clock of thread N". It holds the complement of the thread id, the bit for
// per-thread clocks (4) and the scheduler's clock (2). See include/linux/posix-timers.h. pthread_getcpuclockid of glibc
// builds the same number.
clockid_t ThreadCpuClock(ThreadId thread) {
  return static_cast<clockid_t>((~static_cast<uint32_t>(thread.ToNumber()) << 3) | 4u | 2u);
}

int64_t CpuNs(clockid_t clock) {
  timespec time = {};
  const long result = RawSyscall(SYS_clock_gettime, clock, &time);
  return IsSyscallError(result) ? result : ToNs(time);
}

using ClockFunction = int(clockid_t, timespec*);

// The substitute if there is no vDSO.
int QueryKernel(clockid_t clock, timespec* time) {
  return static_cast<int>(RawSyscall(SYS_clock_gettime, clock, time));
}

// Relaxed order is enough. Each thread that reads null searches itself and finds the same function.
constinit std::atomic<ClockFunction*> g_clock{nullptr};

ClockFunction* FindClock() {
  const uintptr_t image = getauxval(AT_SYSINFO_EHDR);
  void* function = FindVdsoFunction(image, "__vdso_clock_gettime");
  if (function == nullptr) function = FindVdsoFunction(image, "__kernel_clock_gettime");  // aarch64
  ClockFunction* const found = function != nullptr ? reinterpret_cast<ClockFunction*>(function) : &QueryKernel;
  g_clock.store(found, std::memory_order_relaxed);
  return found;
}

int64_t ReadClock(clockid_t clock) {
  ClockFunction* function = g_clock.load(std::memory_order_relaxed);
  if (function == nullptr) function = FindClock();
  timespec time = {};
  function(clock, &time);
  return ToNs(time);
}

}  // namespace

int64_t MonotonicNs() { return ReadClock(CLOCK_MONOTONIC); }
int64_t RealtimeNs() { return ReadClock(CLOCK_REALTIME); }

int64_t ThreadCpuNs(ThreadId thread) { return CpuNs(ThreadCpuClock(thread)); }
int64_t CurrentThreadCpuNs() { return CpuNs(CLOCK_THREAD_CPUTIME_ID); }

int64_t ProcessCpuNs() { return CpuNs(CLOCK_PROCESS_CPUTIME_ID); }

int SleepUntilNs(int64_t deadline_ns) {
  timespec deadline = {deadline_ns / kNsPerSecond, deadline_ns % kNsPerSecond};
  return static_cast<int>(RawSyscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr));
}

}  // namespace geckoprof
