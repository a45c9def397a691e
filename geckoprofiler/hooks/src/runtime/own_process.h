#ifndef GECKOPROF_HOOKS_RUNTIME_OWN_PROCESS_H_
#define GECKOPROF_HOOKS_RUNTIME_OWN_PROCESS_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// OwnProcess: the process that the hooks record. A child of vfork has another id and the memory of its parent, and
// writes nothing there. A child that no fork of libc has made records nothing either.
//
// Threads: any. Context: any, but for Prepare.
class OwnProcess {
 public:
  // Called by the library's constructor, before other hooks are prepared.
  static void Prepare();

  // Costs a system call.
  static bool IsCurrent();
  // The id of the process, and of its main thread. REQUIRES: IsCurrent was called.
  static int32_t id() { return id_.load(std::memory_order_relaxed); }

 private:
  static std::atomic<int32_t> id_;  // 0 before the first call
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_RUNTIME_OWN_PROCESS_H_
