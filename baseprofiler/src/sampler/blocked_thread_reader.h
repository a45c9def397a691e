#ifndef GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/arch/registers.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/modules/process_memory.h"
#include "geckoprof/unwind/registers.h"
#include "sampler/label_copy.h"
#include "sampler/wait_cause.h"

namespace geckoprof {

// BlockedThreadReader: tells if a thread runs, and reads the place and the stack of a blocked thread without a signal.
//
// The source is /proc/self/task/TID/syscall (proc(5)). The file says "running", or it shows the system call with its
// arguments, then sp and pc.
//
//   memory: | copy of T3 | copy of T9 | its labels | copy of T4 | free ........ |     until Clear
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
    char text[192] = {};  // the file's line; places are equal if it is
    uint32_t text_bytes = 0;

    bool operator==(const Place& other) const;
    // Returns the known registers, which are pc, sp and the arguments. The first argument of vfork is its return
    // address.
    Registers KnownRegisters() const;
  };

  // A copy of a stack, from sp on.
  struct Copy {
    const uint8_t* bytes = nullptr;
    size_t size_bytes = 0;
    bool reached_stack_end = false;
  };

  BlockedThreadReader();
  bool ok() const { return bool{memory_for_copies_}; }

  static Fd Open(ThreadId tid);
  static State ReadPlace(const Fd& file, Place& out);

  // Returns the thread's state from its stat file (proc(5)), also if its system call is not shown. R is running or
  // waiting for a core, Z is a zombie, X is gone, and ? is not readable.
  static char StateLetter(ThreadId tid);

  // Copies [sp, stack_end), as far as there is room. Returns false if the memory could not be read. REQUIRES:
  // HasRoom().
  bool CopyStack(const Place& place, uint64_t stack_end);
  // Copies a stack with an unknown end. It copies the readable memory from sp on, at most kUnknownBytes. The copy never
  // counts as complete. REQUIRES: HasRoom().
  bool CopyReadable(const Place& place);
  // Copies the open labels of the thread. They are next to the stack's copy. REQUIRES: HasRoom() before that copy.
  const LabelCopy* CopyLabels(const ProfilingStack& labels, StackRange stale);
  // The last copy. It is valid until Clear.
  const Copy& copy() const { return copy_; }

  // Returns whether another stack can be copied.
  bool HasRoom() const { return RoomBytes() >= kLeastRoomBytes; }
  // Forgets all copies. Rarely used memory goes back to the kernel.
  void Clear();

  // Returns true if the thread is still at `place`. If its CPU clock is also unchanged, it has not run meanwhile.
  static bool IsStillAt(const Fd& file, const Place& place);

 private:
  static constexpr size_t kCopyBytes = 1024 * 1024;  // the first copy may be so large
  static constexpr size_t kLeastRoomBytes = kCopyBytes / 2;
  static constexpr size_t kUnknownBytes = 256 * 1024;  // neighbouring mappings may be gigabytes large
  static constexpr size_t kLabelBytes = RoundUpTo(sizeof(LabelCopy), kPageBytes);
  static constexpr size_t kMemoryBytes = kCopyBytes + kLabelBytes;
  static constexpr size_t kKeptBytes = 256 * 1024;
  size_t RoomBytes() const { return memory_for_copies_.size_bytes() - used_bytes_ - kLabelBytes; }
  uint8_t* Next() const { return memory_for_copies_.data() + used_bytes_; }
  void Use(size_t bytes) { used_bytes_ += RoundUpTo(bytes, alignof(std::max_align_t)); }

  PageMemory memory_for_copies_;
  size_t used_bytes_ = 0;
  Copy copy_;
  ProcessMemory memory_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_BLOCKED_THREAD_READER_H_
