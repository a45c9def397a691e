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
  // CLOCK_MONOTONIC. `name_in_base`: that of an earlier registration with base, which stays in force there; cut at 63
  // bytes.
  ThreadRegistrationInfo(const char* name, ProfilerThreadId tid, bool is_main_thread, int64_t register_time_ns,
                         const char* name_in_base = "");
  ThreadRegistrationInfo(ThreadRegistrationInfo &&) noexcept = default;
  ThreadRegistrationInfo& operator=(ThreadRegistrationInfo&&) noexcept = default;

  ThreadRegistrationInfo Copy() const;
  // What the thread is in the child of a fork that it made: the main one, with another id.
  ThreadRegistrationInfo CopyFor(ProfilerThreadId main_tid) const;

  // Never null; "" once it was moved from.
  const char* Name() const { return name_ != nullptr ? name_.get() : ""; }
  // What filters select the thread by.
  const char* NameForFilters() const { return name_in_base_[0] != '\0' ? name_in_base_ : Name(); }
  // When the thread registered, with the base tier if that was earlier.
  int64_t RegisterTimeNs() const { return register_time_ns_; }
  ProfilerThreadId ThreadId() const { return tid_; }
  bool IsMainThread() const { return is_main_thread_; }

 private:
  std::unique_ptr<char[]> name_;
  char name_in_base_[64] = "";
  int64_t register_time_ns_;
  ProfilerThreadId tid_;
  bool is_main_thread_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREAD_REGISTRATION_INFO_H_
