// Stacks on demand: the calling thread's, and another thread's for hang monitors and the like.
//
//   if (auto backtrace = profiler_capture_backtrace()) {
//     for (size_t i = 0; i < backtrace->size(); ++i) Show(backtrace->frame(i));   // main first
//   }
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_BACKTRACE_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_BACKTRACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "baseprofiler/stack_capture_options.h"
#include "geckoprofiler/c/geckoprof_output.h"
#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/profiler_threads.h"
#include "geckoprofiler/profiler_values.h"

namespace geckoprof {

// ProfilerBacktrace: the frames of one stack, outermost first. Native frames are addresses, and each label that was
// open stands behind the function that opened it. It owns what it shows, refers to no recording, and may outlive each.
// To fill one again without allocating, keep it and give it to profiler_capture_backtrace_into. A copy for which there
// is no memory is empty. Threads: as any value.
class ProfilerBacktrace {
 public:
  struct Frame {
    // 0 for a label. Other frames have their return address, and the innermost frame has the address where the thread
    // was.
    uint64_t address = 0;
    uint32_t category_pair = 0;  // of a label: category << 8 | subcategory
    std::string_view label = {};

    bool is_label() const { return address == 0; }
  };

  ProfilerBacktrace() = default;
  ProfilerBacktrace(ProfilerBacktrace&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ProfilerBacktrace(const ProfilerBacktrace& other) : handle_(geckoprof_copy_backtrace(other.handle_)) {}
  ProfilerBacktrace& operator=(ProfilerBacktrace other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~ProfilerBacktrace() { geckoprof_free_backtrace(handle_); }

  size_t size() const { return geckoprof_backtrace_size(handle_); }
  bool empty() const { return size() == 0; }
  // The label's text is valid until the backtrace is changed, moved or destroyed. Beyond the last one: an empty frame.
  Frame frame(size_t index) const {
    geckoprof_frame found = {sizeof found, 0, 0, nullptr, 0};
    if (geckoprof_backtrace_frame(handle_, index, &found) != GECKOPROF_DONE || found.label == nullptr) {
      return {found.address, found.category_pair, {}};
    }
    return {found.address, found.category_pair, std::string_view(found.label, static_cast<size_t>(found.label_bytes))};
  }
  // True if the native frames reach the thread's beginning.
  bool is_complete() const { return info().is_complete != 0; }
  // The thread whose stack it is, and the time of the capture (CLOCK_MONOTONIC). A marker that has it as its stack
  // shows both.
  ProfilerThreadId thread_id() const { return ProfilerThreadId::FromNumber(info().tid); }
  int64_t monotonic_ns() const { return info().monotonic_ns; }

  // The C functions' own, which fill it in. May be null.
  geckoprof_backtrace** handle() { return &handle_; }
  // Zeros where nothing was captured.
  geckoprof_backtrace_info info() const {
    geckoprof_backtrace_info info = {sizeof info, 0, 0, 0, 0, 0};
    (void)geckoprof_get_backtrace_info(handle_, &info);
    return info;
  }

 private:
  geckoprof_backtrace* handle_ = nullptr;
};

}  // namespace geckoprof

using UniqueProfilerBacktrace = std::unique_ptr<geckoprof::ProfilerBacktrace>;

// A label that was open. The text is valid during the call that brings it.
struct ProfilerLabelFrame {
  std::string_view label;
  uint32_t category_pair = 0;  // category << 8 | subcategory
};

// ProfilerStackCollector: is given one thread's stack, frame by frame, outermost first. Unlike in Firefox the thread
// has gone on by then, and no lock is held: the functions may do anything. Firefox's functions about positions in its
// ring buffer are missing, and so are those about generated code of a browser.
class ProfilerStackCollector {
 public:
  virtual ~ProfilerStackCollector() = default;

  // First of all, if it is the thread that the process began with.
  virtual void SetIsMainThread() {}
  // A native frame: a return address, or where the thread was, for the innermost one.
  virtual void CollectNativeLeafAddr(void* address) = 0;
  virtual void CollectProfilingStackFrame(const ProfilerLabelFrame& frame) = 0;
};

GECKOPROF_BEGIN_HIDDEN_

// Replaces what was in `backtrace` by the calling thread's stack without this library's own frames. False: nothing is
// recorded, the recording has ProfilerFeature::NoStackSampling, or there is nothing to show. Then it is empty. Any
// thread, registered or not. Not in a signal handler, and not inside of an allocation that such a call makes.
inline bool profiler_capture_backtrace_into(geckoprof::ProfilerBacktrace& backtrace, StackCaptureOptions options) {
  if (options == StackCaptureOptions::NoStack) {
    backtrace = {};
    return false;
  }
  return geckoprof_capture_backtrace_into(backtrace.handle(), options == StackCaptureOptions::Full ? 1 : 0) != 0;
}

// The same as a new object, or null.
inline UniqueProfilerBacktrace profiler_capture_backtrace() {
  geckoprof::ProfilerBacktrace captured;
  if (!profiler_capture_backtrace_into(captured, StackCaptureOptions::Full)) return nullptr;
  return UniqueProfilerBacktrace(new (std::nothrow) geckoprof::ProfilerBacktrace(std::move(captured)));
}
// Firefox has both names.
inline UniqueProfilerBacktrace profiler_get_backtrace() { return profiler_capture_backtrace(); }

// Samples another thread, also while nothing is recorded. For the calling thread's own id the stack is that of this
// call.
// - features: ProfilerFeature::NoStackSampling: nothing but SetIsMainThread. Others mean nothing here.
// - sample_native: false: labels and the innermost address.
// A thread that is blocked is read without its doing anything. A thread that runs is interrupted for microseconds by
// the profiler's signal, of which it notices nothing. If it was made before anything was recorded, only the innermost
// frames may come. The collector is only called if the outcome is kDone. The outcome is kThreadGone if there is no
// thread of this id. It is kThreadSignalBlocked if the thread runs and the profiler's signals may not be sent to it. It
// is kTimeout if the thread did not answer within a second. Other outcomes say why base cannot do it.
inline geckoprof::ProfilerOutcome profiler_suspend_and_sample_thread(geckoprof::ProfilerThreadId tid, uint32_t features,
                                                                     ProfilerStackCollector& collector,
                                                                     bool sample_native = true) {
  geckoprof::ProfilerBacktrace frames;
  geckoprof::ProfilerOutcome outcome = geckoprof::detail::AskForOutcome([&](char* text, size_t bytes) {
    return geckoprof_sample_thread(tid.ToNumber(), sample_native ? 1 : 0, frames.handle(), text, bytes);
  });
  if (!outcome) return outcome;
  const geckoprof_backtrace_info info = frames.info();
  if (info.is_main != 0) collector.SetIsMainThread();
  if (ProfilerFeature::Has(features, ProfilerFeature::NoStackSampling)) return outcome;
  for (size_t i = 0; i < frames.size(); ++i) {
    const geckoprof::ProfilerBacktrace::Frame frame = frames.frame(i);
    if (frame.is_label()) {
      collector.CollectProfilingStackFrame({frame.label, frame.category_pair});
    } else {
      collector.CollectNativeLeafAddr(reinterpret_cast<void*>(static_cast<uintptr_t>(frame.address)));
    }
  }
  if (!sample_native) {
    collector.CollectNativeLeafAddr(reinterpret_cast<void*>(static_cast<uintptr_t>(info.innermost_address)));
  }
  return outcome;
}

GECKOPROF_END_VISIBILITY_

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_BACKTRACE_H_
