#ifndef GECKOPROF_GECKOPROFILER_CAPTURE_BACKTRACE_H_
#define GECKOPROF_GECKOPROFILER_CAPTURE_BACKTRACE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/base/ids.h"

namespace geckoprof {

// Backtrace: the frames of one stack, outermost first. Native frames are addresses. The labels that were open stand
// behind the functions that opened them. It owns its texts and refers to no recording. Filled again, it needs no new
// memory for a stack that is no larger.
class Backtrace {
 public:
  struct Frame {
    // 0 for a label. Other frames have their return address, and the innermost frame has the address where the thread
    // was.
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
  // True if the native frames reach the thread's beginning.
  bool is_complete() const { return is_complete_; }
  // The thread whose stack it is, and the time of the capture (CLOCK_MONOTONIC).
  ThreadId thread_id() const { return thread_id_; }
  int64_t monotonic_ns() const { return monotonic_ns_; }

  void Clear() {
    thread_id_ = {};
    monotonic_ns_ = 0;
    frames_.clear();
    text_.clear();
    is_complete_ = is_main_ = false;
    innermost_address_ = 0;
  }
  // The next inner frame.
  void AddAddress(uint64_t address) {
    if (address != 0) frames_.push_back({address, 0, 0, 0});
  }
  void AddLabel(std::string_view label, uint32_t category_pair) {
    frames_.push_back({0, category_pair, static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(label.size())});
    text_.append(label);
  }
  // The facts of another thread's stack. is_main is true for the thread that the process began with. The innermost
  // address is known even if no native frames were asked for.
  bool is_main() const { return is_main_; }
  uint64_t innermost_address() const { return innermost_address_; }
  void set_thread(bool is_main, uint64_t innermost_address) {
    is_main_ = is_main;
    innermost_address_ = innermost_address;
  }
  void set_complete(bool complete) { is_complete_ = complete; }
  void set_captured(ThreadId thread, int64_t monotonic_ns) {
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
  bool is_main_ = false;
  uint64_t innermost_address_ = 0;
  ThreadId thread_id_;
  int64_t monotonic_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CAPTURE_BACKTRACE_H_
