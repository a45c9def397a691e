#include "signal/crash_signals.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "libc/real_functions.h"
#include "runtime/large_storage.h"

namespace geckoprof {
namespace {

constexpr KernelSignalSet kCrashes =
    SignalBit(SIGSEGV) | SignalBit(SIGBUS) | SignalBit(SIGILL) | SignalBit(SIGFPE) | SignalBit(SIGABRT);
constexpr size_t kCount = std::popcount(kCrashes);

constinit std::atomic<CrashSignals::Report> g_report{nullptr};  // null: nothing is installed
// The program's disposition where base's handler is installed. Its handler is SIG_DFL. Most programs leave it as the
// kernel made it, without flags and mask, and then this memory is not touched.
constinit GECKOPROF_LARGE_STORAGE struct sigaction g_shown[kCount] = {};
constinit KernelSignalSet g_has_shown = 0;  // the signals with an element in it

// REQUIRES: `signal` is one of kCrashes.
struct sigaction& PlaceFor(int signal) {
  return g_shown[std::popcount(kCrashes & (SignalBit(signal) - 1))];
}

void KeepShown(int signal, const struct sigaction& action) {
  KernelSignalSet mask = 0;  // the kernel's part of it
  memcpy(&mask, &action.sa_mask, sizeof(mask));
  const bool is_plain = action.sa_flags == 0 && mask == 0;
  g_has_shown = is_plain ? g_has_shown & ~SignalBit(signal) : g_has_shown | SignalBit(signal);
  if (!is_plain) PlaceFor(signal) = action;
}

struct sigaction ShownFor(int signal) {
  struct sigaction plain;
  memset(&plain, 0, sizeof(plain));
  return (g_has_shown & SignalBit(signal)) != 0 ? PlaceFor(signal) : plain;
}

void OnCrash(int signal, siginfo_t* info, void* context) {
  if (const CrashSignals::Report report = g_report.load(std::memory_order_relaxed)) report(signal, *info, context);
  // The kernel's own form of SIG_DFL. libc's function takes more stack than a small alternate stack may have.
  constexpr size_t kKernelActionBytes = 32;
  static constinit const uint8_t kDefault[kKernelActionBytes] = {};
  RawSyscall(SYS_rt_sigaction, signal, kDefault, nullptr, sizeof(KernelSignalSet));
  // A thread may queue any siginfo to itself, also that of a fault.
  RawSyscall(SYS_rt_tgsigqueueinfo, RawSyscall(SYS_getpid), RawSyscall(SYS_gettid), signal, info);
}

// Returns true if the program has a note of the Go linker.
bool IsGoProgram() {
  constexpr char kName[] = "Go\0";  // four bytes
  const uintptr_t headers_at = getauxval(AT_PHDR);
  const std::span headers(reinterpret_cast<const ElfW(Phdr)*>(headers_at), headers_at != 0 ? getauxval(AT_PHNUM) : 0);
  // They follow the file's header, which the first segment has at its start. A static program has no PT_PHDR.
  const auto loaded = std::ranges::find_if(
      headers, [](const ElfW(Phdr) & header) { return header.p_type == PT_LOAD && header.p_offset == 0; });
  if (loaded == headers.end()) return false;
  const uintptr_t bias = headers_at - sizeof(ElfW(Ehdr)) - loaded->p_vaddr;
  if (bias % kPageBytes != 0) return false;  // something else made this file
  for (const ElfW(Phdr) & header : headers) {
    const bool is_mapped =
        header.p_vaddr >= loaded->p_vaddr && header.p_vaddr - loaded->p_vaddr + header.p_memsz <= loaded->p_filesz;
    if (header.p_type != PT_NOTE || !is_mapped) continue;
    uintptr_t at = bias + header.p_vaddr;
    const uintptr_t end = at + header.p_memsz;
    const size_t alignment = header.p_align == 8 ? 8 : 4;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* const name = reinterpret_cast<const char*>(&note + 1);
      if (note.n_namesz == sizeof(kName) && memcmp(name, kName, sizeof(kName)) == 0) return true;
      at += RoundUpTo(sizeof(note) + RoundUpTo(note.n_namesz, 4), alignment) + RoundUpTo(note.n_descsz, alignment);
    }
  }
  return false;
}

template <typename Function>
void ForEachCrash(const Function& function) {
  for (KernelSignalSet left = kCrashes; left != 0; left &= left - 1) function(std::countr_zero(left) + 1);
}

}  // namespace

bool CrashSignals::Has(int signal) { return signal >= 1 && signal <= 64 && (kCrashes & SignalBit(signal)) != 0; }

bool CrashSignals::IsOurs(const struct sigaction& action) { return action.sa_sigaction == &OnCrash; }

void CrashSignals::InstallAll(Report report) {
  if (IsGoProgram()) return;
  g_report.store(report, std::memory_order_relaxed);
  ForEachCrash([](int signal) {
    struct sigaction found;
    if (RealSigaction(signal, nullptr, &found) == 0 && found.sa_handler == SIG_DFL) Install(signal);
  });
}

void CrashSignals::Install(int signal) {
  if (!Has(signal) || g_report.load(std::memory_order_relaxed) == nullptr) return;
  struct sigaction ours;
  memset(&ours, 0, sizeof(ours));
  ours.sa_sigaction = &OnCrash;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  memset(&ours.sa_mask, 0xff, sizeof(ours.sa_mask));
  struct sigaction found;
  if (RealSigaction(signal, &ours, &found) == 0) KeepShown(signal, found);
}

void CrashSignals::RemoveAll() {
  if (g_report.exchange(nullptr, std::memory_order_relaxed) == nullptr) return;
  ForEachCrash([](int signal) {
    struct sigaction found;
    if (RealSigaction(signal, nullptr, &found) != 0 || !IsOurs(found)) return;
    const struct sigaction shown = ShownFor(signal);
    RealSigaction(signal, &shown, nullptr);
  });
}

void CrashSignals::ToProgram(int signal, struct sigaction& action) {
  if (IsOurs(action)) action = ShownFor(signal);
}

}  // namespace geckoprof
