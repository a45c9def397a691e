// Reading a process's memory without ever faulting.
#ifndef GECKOPROF_MODULES_PROCESS_MEMORY_H_
#define GECKOPROF_MODULES_PROCESS_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace geckoprof {

// ProcessMemory: reads bytes of one process, usually this one, through the kernel: an address that is not mapped is an
// answer and not a SIGSEGV, whatever other threads unmap meanwhile. About 0.5 us a call.
//
// process_vm_readv first; where a sandbox denies that, /proc/PID/mem.
// Threads: any. Context: not signal context.
class ProcessMemory {
 public:
  // The process that asks, also in the child of a fork.
  ProcessMemory() = default;
  // Another process, which the caller may trace. For tools and tests.
  explicit ProcessMemory(int32_t pid) : pid_(pid) {}

  // Fills `out` from `avma`. False, with `out` in any state, unless every byte could be read.
  bool Read(uint64_t avma, std::span<uint8_t> out) const;
  // As many bytes as can be read from `avma` on, at most out.size(); returns how many.
  size_t ReadPrefix(uint64_t avma, std::span<uint8_t> out) const;

 private:
  int32_t pid_ = 0;  // 0: the process that asks
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_PROCESS_MEMORY_H_
