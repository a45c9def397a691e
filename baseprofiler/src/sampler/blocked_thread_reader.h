#ifndef GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_

#include <cstdint>

#include "geckoprof/arch/registers.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/process_memory.h"
#include "geckoprof/unwind/registers.h"
#include "sampler/wait_cause.h"

namespace geckoprof {

// BlockedThreadReader: tells if a thread runs, and reads the place and the stack of a blocked thread without a signal.
//
// The source is /proc/self/task/TID/syscall (proc(5)). The file says "running", or it shows the system call with its
// arguments, then sp and pc.
//
// Threads: owned by the sampler, or by a capture on demand.
// Context: not signal context.
class BlockedThreadReader {
 public:
  enum class State : uint8_t { kRunning, kBlocked, kGone, kNoAccess };

  struct Place {
    uint64_t pc = 0;
    uint64_t sp = 0;
    SystemCall call;      // without a number the thread waits for a page
    char text[192] = {};  // the file's line; a comparison shows if the thread has moved
    uint32_t text_bytes = 0;

    // Returns the known registers, which are pc, sp and the arguments. The first argument of vfork is its return
    // address.
    Registers KnownRegisters() const;
  };

  BlockedThreadReader();
  bool ok() const { return bool{copy_}; }

  static Fd Open(ThreadId tid);
  State ReadPlace(const Fd& file, Place& out) const;

  // Returns the thread's state from its stat file (proc(5)), also if its system call is not shown. R is running or
  // waiting for a core, Z is a zombie, X is gone, and ? is not readable.
  static char StateLetter(ThreadId tid);

  // Copies [sp, stack_end), at most the buffer's size. Returns false if the memory could not be read.
  bool CopyStack(const Place& place, uint64_t stack_end);
  // Copies a stack with an unknown end. It copies the readable memory from sp on, at most kUnknownBytes.
  // reached_stack_end() is then false.
  bool CopyReadable(const Place& place);
  const uint8_t* bytes() const { return copy_.data(); }
  size_t size_bytes() const { return copied_bytes_; }
  bool reached_stack_end() const { return reached_stack_end_; }

  // Returns true if the thread is still at `place`. If its CPU clock is also unchanged, it has not run meanwhile.
  bool IsStillAt(const Fd& file, const Place& place) const;

 private:
  static constexpr size_t kCopyBytes = 1024 * 1024;
  static constexpr size_t kUnknownBytes = 256 * 1024;  // neighbouring mappings may be gigabytes large
  PageMemory copy_;
  size_t copied_bytes_ = 0;
  bool reached_stack_end_ = false;
  ProcessMemory memory_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_
