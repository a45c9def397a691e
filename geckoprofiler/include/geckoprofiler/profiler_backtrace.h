// The calling thread's stack, now.
//
//   if (auto backtrace = profiler_capture_backtrace()) {
//     for (size_t i = 0; i < backtrace->size(); ++i) Show(backtrace->frame(i));   // main first
//   }
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_BACKTRACE_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_BACKTRACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "baseprofiler/stack_capture_options.h"
#include "geckoprofiler/profiler_threads.h"

#pragma GCC visibility push(default)

namespace geckoprof {

// ProfilerBacktrace: the frames of one stack, outermost first: native ones by address, and the labels that were open,
// each behind the function that opened it. Owns what it shows; refers to no recording, so it may outlive each. To be
// filled again without allocating: keep it, and give it to profiler_capture_backtrace_into.
class ProfilerBacktrace {
 public:
  struct Frame {
    // 0: a label. Else a return address (so the call is before it), or where the thread was, for the innermost one.
    uint64_t address = 0;
    uint32_t category_pair = 0;  // of a label: category << 8 | subcategory
    std::string_view label = {};

    bool is_label() const { return address == 0; }
  };

  size_t size() const { return frames_.size(); }
  bool empty() const { return frames_.empty(); }
  // The label's text is valid until the backtrace is changed, moved or destroyed.
  Frame frame(size_t index) const {
    const Stored& stored = frames_[index];
    if (stored.address != 0) return {stored.address, 0, {}};
    return {0, stored.category_pair, std::string_view(text_).substr(stored.text_offset, stored.text_bytes)};
  }
  // Whether the native frames reach the thread's beginning.
  bool is_complete() const { return is_complete_; }
  // Whose stack it is, and when it was captured (CLOCK_MONOTONIC). A marker that has it as its stack says so, too.
  ProfilerThreadId thread_id() const { return thread_id_; }
  int64_t monotonic_ns() const { return monotonic_ns_; }

  void Clear() {
    thread_id_ = {};
    monotonic_ns_ = 0;
    frames_.clear();
    text_.clear();
    is_complete_ = false;
  }
  // The next inner frame.
  void AddAddress(uint64_t address) {
    if (address != 0) frames_.push_back({address, 0, 0, 0});
  }
  void AddLabel(std::string_view label, uint32_t category_pair) {
    frames_.push_back({0, category_pair, static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(label.size())});
    text_.append(label);
  }
  void set_complete(bool complete) { is_complete_ = complete; }
  void set_captured(ProfilerThreadId thread, int64_t monotonic_ns) {
    thread_id_ = thread;
    monotonic_ns_ = monotonic_ns;
  }

 private:
  struct Stored {
    uint64_t address;
    uint32_t category_pair;
    uint32_t text_offset;
    uint32_t text_bytes;
  };
  std::vector<Stored> frames_;
  std::string text_;  // of all labels
  bool is_complete_ = false;
  ProfilerThreadId thread_id_;
  int64_t monotonic_ns_ = 0;
};

}  // namespace geckoprof

// The calling thread's stack without this library's own frames. Null, or false, if nothing is recorded, the recording
// has ProfilerFeature::NoStackSampling, or there is nothing to show. Any thread, registered or not; not in a signal
// handler, and not inside of an allocation that such a call makes.
std::unique_ptr<geckoprof::ProfilerBacktrace> profiler_capture_backtrace();
// Replaces what was in it; after false it is empty.
bool profiler_capture_backtrace_into(geckoprof::ProfilerBacktrace& backtrace, StackCaptureOptions options);
// The same as profiler_capture_backtrace: the original has both names.
std::unique_ptr<geckoprof::ProfilerBacktrace> profiler_get_backtrace();

using UniqueProfilerBacktrace = std::unique_ptr<geckoprof::ProfilerBacktrace>;

#pragma GCC visibility pop

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_BACKTRACE_H_
