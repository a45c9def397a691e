#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/handover/handover_table.h"
#include "geckoprofiler/c/geckoprof_output.h"
#include "geckoprofiler/profiler_result.h"
#include "handover/base_link.h"

namespace geckoprof {

// Backtrace: the frames of one stack, outermost first. Native frames are addresses. The labels that were open follow
// the functions that opened them. It owns its texts and refers to no recording. If it is filled again, it needs no new
// memory for a stack that is no larger.
class Backtrace {
 public:
  // The facts of the capture. All are 0 in an empty backtrace.
  geckoprof_backtrace_info info = kEmptyInfo;

  size_t size() const { return frames_.size(); }
  bool empty() const { return frames_.empty(); }
  // The label's text is valid until the backtrace is changed, moved or destroyed.
  geckoprof_frame frame(size_t index) const {
    const Stored& stored = frames_[index];
    const char* const label = stored.address != 0 ? nullptr : text_.data() + stored.text_offset;
    return {sizeof(geckoprof_frame), stored.category_pair, stored.address, label, stored.text_bytes};
  }

  void Clear() {
    info = kEmptyInfo;
    frames_.clear();
    text_.clear();
  }
  // Adds the next inner frame. An address of 0 is no frame.
  void AddAddress(uint64_t address) {
    if (address != 0) frames_.push_back({address, 0, 0, 0});
  }
  void AddLabel(std::string_view label, uint32_t category_pair) {
    frames_.push_back({0, category_pair, static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(label.size())});
    text_.append(label);
  }

 private:
  static constexpr geckoprof_backtrace_info kEmptyInfo = {sizeof(geckoprof_backtrace_info), 0, 0, 0, 0, 0};
  struct Stored {
    uint64_t address;
    uint32_t category_pair;
    uint32_t text_offset;
    uint32_t text_bytes;
  };
  std::vector<Stored> frames_;
  std::string text_;  // the texts of all labels
};

// StackUnwinder: turns a stack that base captured into frames. It unwinds the stack and merges the labels, as the
// sampler does.
//
// It reads its own list of modules from /proc/self/maps, through the kernel. It never asks the loader, because a thread
// that waits for this one may hold the loader's lock. A module that is being unloaded costs a wrong frame, not a fault.
// The list is read again if an address is in no known mapping, or if the program has called dlclose. It is also read
// once a second, because other changes are not reported.
//
// Threads: any, one at a time. The lock is held while memory is allocated. An allocator that captures stacks itself is
// refused (IsBusyHere).
// Context: not signal context.
// Fork: BeforeFork does not wait, because the forking thread may hold an allocator's locks. The child abandons the work
// of another thread.
class StackUnwinder {
 public:
  StackUnwinder() = default;
  StackUnwinder(const StackUnwinder&) = delete;
  StackUnwinder& operator=(const StackUnwinder&) = delete;

  // Returns true if the calling thread is in the middle of an Unwind.
  bool IsBusyHere() const { return lock_.depth() > 0; }

  // Unwinds native frames if `native` is true. `base_code` is an address in base. Frames of base and of this library
  // are left out at the inner end of an own stack. Base's frame at the start of a thread is left out of every stack.
  // Returns false, with an empty `out`, if the thread is busy here or memory ran out.
  bool Unwind(const HandoverStack& stack, bool native, const void* base_code, Backtrace& out);

  [[nodiscard]] bool BeforeFork() { return lock_.TryLock(); }
  // `held` is the result of BeforeFork.
  void AfterFork(bool in_child, bool held);

 private:
  struct Modules;
  struct Request;
  void UnwindLocked(const Request& request);

  RecursiveLock lock_;
  // Guarded by lock_. It is made on first use and never freed, because the library's threads may outlive its statics.
  Modules* modules_ = nullptr;
};

// StackCapture: captures one thread's stack as frames. Base captures the stack, and StackUnwinder unwinds it.
//
// Threads: any. Base's lock for other threads comes before the unwinder's, so a thread that is in the unwinder asks for
// no other thread's stack.
// Context: not signal context.
class StackCapture {
 public:
  struct Request {
    ThreadId tid = {};  // the calling thread if unspecified
    bool native = true;
    int64_t timeout_ns = 0;  // for another thread's answer
  };

  // `base` must outlive this object.
  explicit StackCapture(const BaseLink& base) : base_(base) {}
  // After a refusal `out` is empty.
  ProfilerOutcome Capture(const Request& request, Backtrace& out);

  // A fork is handled as in StackUnwinder.
  [[nodiscard]] bool BeforeFork() { return unwinder_.BeforeFork(); }
  void AfterFork(bool in_child, bool held) { unwinder_.AfterFork(in_child, held); }

 private:
  const BaseLink& base_;
  StackUnwinder unwinder_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_STACK_CAPTURE_H_
