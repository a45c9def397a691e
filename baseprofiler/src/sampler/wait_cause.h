#ifndef GECKOPROF_BASEPROFILER_SAMPLER_WAIT_CAUSE_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_WAIT_CAUSE_H_

#include <array>
#include <cstdint>
#include <iterator>

#include "geckoprof/arch/registers.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/entries/wait_cause.h"

namespace geckoprof {

// SystemCall is the system call that a thread waits in, as its syscall file shows it (proc(5)).
struct SystemCall {
  static constexpr int64_t kNone = -1;

  int64_t number = kNone;  // kNone: the thread waits for a page of memory
  std::array<uint64_t, std::size(kDwarfSyscallArguments)> arguments = {};
};

// FutexCall is what a thread that waits at a futex expects there (futex(2)). The kinds are those of glibc, of Rust's
// standard library, of musl and of Go. A program may use futexes in other ways, which are kOther.
struct FutexCall {
  enum class Kind : uint8_t {
    kOther,         // a condition variable, a semaphore, the end of a thread
    kMutex,         // a mutex that says that there are waiters. That of glibc has its owner behind the word
    kOwnedWord,     // the word has the owner's id: a priority-inheriting or robust mutex of glibc, a mutex of musl
    kReadWriteLock  // a read-write lock of glibc
  };
  Kind kind = Kind::kOther;
  uint64_t address = 0;

  // Returns kOther for any other system call.
  static FutexCall Of(const SystemCall& call);
};

// DescriptorKinds tells what a descriptor of the waiting thread is open on.
class DescriptorKinds {
 public:
  enum class Kind : uint8_t { kUnknown, kFile, kSocket, kPipe, kEvent, kTimer, kOther };

  virtual Kind KindOf(int descriptor) const = 0;

 protected:
  ~DescriptorKinds() = default;
};

// Returns what a thread that waits in `call` waits for. It is never kNone.
WaitCause CauseOfWait(const SystemCall& call, const DescriptorKinds& descriptors);

// ThreadDescriptors looks at a thread's descriptors through /proc. The sampler has a table of descriptors of its own,
// in which the numbers mean other files.
//
// Threads: the sampler's thread.
// Context: not signal context.
class ThreadDescriptors final : public DescriptorKinds {
 public:
  explicit ThreadDescriptors(ThreadId tid) : tid_(tid) {}

  Kind KindOf(int descriptor) const override;

 private:
  const ThreadId tid_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_WAIT_CAUSE_H_
