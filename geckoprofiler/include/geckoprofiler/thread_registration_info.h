#ifndef GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_INFO_H_
#define GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_INFO_H_

#include <cstdint>
#include <memory>

#include "geckoprofiler/profiler_thread_ids.h"

namespace geckoprof {

// ThreadRegistrationInfo: what a thread was when it registered, as a value: it stays true after the thread has ended.
//
//   ThreadRegistrationInfo kept = ref.UnlockedConstReader().Info().Copy();  // for a profile that is written later
//
// Move-only, so that the name is copied only where that is written down. Threads: as any value. Context: not signal
// context (memory is allocated).
class [[gnu::visibility("default")]] ThreadRegistrationInfo {
 public:
  // `name` is copied; null is taken for "", and so is a name that no memory can be had for. `register_time_ns` is on
  // CLOCK_MONOTONIC.
  ThreadRegistrationInfo(const char* name, ProfilerThreadId tid, bool is_main_thread, int64_t register_time_ns);
  ThreadRegistrationInfo(ThreadRegistrationInfo &&) noexcept = default;
  ThreadRegistrationInfo& operator=(ThreadRegistrationInfo&&) noexcept = default;

  ThreadRegistrationInfo Copy() const;

  // Never null; "" once it was moved from.
  const char* Name() const { return name_ != nullptr ? name_.get() : ""; }
  // When the thread registered, with the base tier if that was earlier.
  int64_t RegisterTimeNs() const { return register_time_ns_; }
  ProfilerThreadId ThreadId() const { return tid_; }
  bool IsMainThread() const { return is_main_thread_; }

 private:
  std::unique_ptr<char[]> name_;
  int64_t register_time_ns_;
  ProfilerThreadId tid_;
  bool is_main_thread_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_INFO_H_
