// Reads of a process's memory that cannot fault.
#ifndef GECKOPROF_MODULES_PROCESS_MEMORY_H_
#define GECKOPROF_MODULES_PROCESS_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace geckoprof {

// ProcessMemory reads bytes of one process, usually this one, through the kernel. An unmapped address gives an error
// and no SIGSEGV, even if other threads unmap memory meanwhile. A call takes less than a microsecond.
//
// It uses process_vm_readv. If a sandbox denies that call, it uses /proc/PID/mem.
//
// Threads: any.
// Context: not signal context.
class ProcessMemory {
 public:
  // Reads the calling process, also in the child of a fork.
  ProcessMemory() = default;
  // Reads another process, which the caller must have the right to trace. This is for tools and tests.
  explicit ProcessMemory(int32_t pid) : pid_(pid) {}

  // Fills `out` from `avma`. Returns false unless every byte could be read. The contents of `out` are then undefined.
  bool Read(uint64_t avma, std::span<uint8_t> out) const;
  // Reads as many bytes as possible from `avma` on, at most out.size(). Returns the number of bytes.
  size_t ReadPrefix(uint64_t avma, std::span<uint8_t> out) const;

 private:
  int32_t pid_ = 0;  // 0 means the calling process
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_PROCESS_MEMORY_H_
