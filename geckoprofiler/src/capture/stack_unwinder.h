#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_STACK_UNWINDER_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_STACK_UNWINDER_H_

#include <cstdint>

#include "capture/backtrace.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

// StackUnwinder: turns a stack that base captured into frames: unwinds it and merges the labels, as the sampler does.
//
// It has a list of modules of its own, read from /proc/self/maps: at first, when an address is in no mapping that it
// knows, when the program has called dlclose since, and once a second for what nobody told us. The loader is not asked:
// its lock may be held by whoever waits for us. Modules are read through the kernel, so one that is being unloaded
// costs a wrong frame and not a fault.
//
// Threads: any, one at a time. The lock is held while memory is allocated; a thread that comes back meanwhile, from an
// allocator that captures stacks itself, is refused (IsBusyHere). Context: not signal context. Fork: BeforeFork does
// not wait, since the forking thread may hold an allocator's locks by then; what another thread had in hand is given up
// in the child.
class StackUnwinder {
 public:
  StackUnwinder() = default;
  StackUnwinder(const StackUnwinder&) = delete;
  StackUnwinder& operator=(const StackUnwinder&) = delete;

  // Whether the calling thread is in the middle of an Unwind.
  bool IsBusyHere() const { return lock_.depth() > 0; }

  // `native`: with native frames. `base_code`: an address in base: frames of base and of this library are left out of
  // an own stack's inner end, and base's start of a thread everywhere. False: busy here, or no memory; `out` is empty.
  bool Unwind(const HandoverStack& stack, bool native, const void* base_code, Backtrace& out);

  [[nodiscard]] bool BeforeFork() { return lock_.TryLock(); }
  // `held`: what BeforeFork returned.
  void AfterFork(bool in_child, bool held);

 private:
  struct Modules;
  struct Request;
  void UnwindLocked(const Request& request);

  RecursiveLock lock_;
  // Guarded by lock_.
  Modules* modules_ = nullptr;  // made when first needed; never freed: the library's threads may outlive its statics
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_STACK_UNWINDER_H_
