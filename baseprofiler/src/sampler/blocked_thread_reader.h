#ifndef GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_

#include <array>
#include <cstdint>
#include <iterator>

#include "geckoprof/arch/dwarf_registers.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/process_memory.h"
#include "geckoprof/unwind/registers.h"

namespace geckoprof {

// BlockedThreadReader: whether a thread runs, and if not, where it is and what its stack holds: without a signal.
//
// Source: /proc/self/task/TID/syscall (proc(5)): "running", or the system call it is in with arguments, then sp and pc.
// Threads: owned by the sampler. Context: not signal context.
class BlockedThreadReader {
 public:
  enum class State : uint8_t { kRunning, kBlocked, kGone, kNoAccess };

  struct Place {
    uint64_t pc = 0;
    uint64_t sp = 0;
    std::array<uint64_t, std::size(kDwarfSyscallArguments)> arguments = {};
    bool has_arguments = false;  // it waits in a system call, not for a page
    char text[192] = {};         // the file's line, to see afterwards whether the thread has moved
    uint32_t text_bytes = 0;

    // What is known of its registers: pc, sp and the arguments (vfork's first one is where it returns to).
    Registers KnownRegisters() const;
  };

  BlockedThreadReader();
  bool ok() const { return bool{copy_}; }

  static Fd Open(ThreadId tid);
  State Look(const Fd& file, Place& out) const;

  // The thread's state (proc(5), stat), also where its system call is not shown: R on a core or waiting for one, Z a
  // zombie, X gone, ? not readable.
  static char StateLetter(ThreadId tid);

  // Copies [sp, stack_end), at most the buffer's size. False if it could not be read.
  bool CopyStack(const Place& place, uint64_t stack_end);
  // The same where nobody knows the end: as far as memory can be read, at most kUnknownBytes. reached_stack_end() is
  // then false.
  bool CopyReadable(const Place& place);
  const uint8_t* bytes() const { return copy_.data(); }
  size_t size_bytes() const { return copied_bytes_; }
  bool reached_stack_end() const { return reached_stack_end_; }

  // Whether the thread is still where it was. Together with an unchanged CPU clock: it has not run meanwhile.
  bool IsStillAt(const Fd& file, const Place& place) const;

 private:
  static constexpr size_t kCopyBytes = 1024 * 1024;
  static constexpr size_t kUnknownBytes = 256 * 1024;  // neighbours may be mapped for gigabytes
  PageMemory copy_;
  size_t copied_bytes_ = 0;
  bool reached_stack_end_ = false;
  ProcessMemory memory_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_
