// A base tier for tests: says what it is told to, and keeps what it is asked for.
#ifndef GECKOPROF_TESTS_GECKOPROFILER_BASE_DOUBLE_H_
#define GECKOPROF_TESTS_GECKOPROFILER_BASE_DOUBLE_H_

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/config/thread_filter.h"
#include "threads/thread_base_link.h"
#include "threads/thread_directory.h"

namespace geckoprof {

// In use for as long as it lives; one at a time.
class BaseDouble {
 public:
  struct Marker {
    std::string name, text;
    uint32_t phase;
  };

  BaseDouble() {
    current = this;
    ThreadBaseLink::Use(&kLink);
  }
  ~BaseDouble() {
    ThreadBaseLink::Use(nullptr);
    ThreadDirectory::StopProfiling();
    current = nullptr;
  }

  std::vector<std::string> Registered() {
    const std::lock_guard guard(mutex_);
    return registered_;
  }
  std::vector<Marker> Markers() {
    const std::lock_guard guard(mutex_);
    return markers_;
  }

  std::atomic<int> unregistered{0};
  std::atomic<uint32_t> state{0};
  std::atomic<int64_t> register_time_ns{0};

 private:
  static inline BaseDouble* current = nullptr;
  static void Register(const char* name) {
    const std::lock_guard guard(current->mutex_);
    current->registered_.emplace_back(name);
  }
  static void Unregister() { ++current->unregistered; }
  static uint32_t State() { return current->state; }
  static int Mark(const char* name, uint32_t, const geckoprof_marker_options* options, const char* text,
                  uint64_t text_bytes) {
    const std::lock_guard guard(current->mutex_);
    current->markers_.push_back({name, {text, text_bytes}, options->flags & GECKOPROF_MARKER_PHASE});
    return 0;
  }
  // The text of a marker "Awake" is that of its three fields, with ? for a field that is not there.
  static int Add(geckoprof_marker_site* site, const geckoprof_marker_options* options, const geckoprof_piece* payload,
                 uint32_t) {
    const auto* byte = static_cast<const uint8_t*>(payload->bytes);
    std::string text;
    for (int field = 0; field < 3; ++field) {
      int64_t number = 0;
      const bool is_there = *byte++ != 0;
      if (is_there) {
        std::memcpy(&number, byte, sizeof number);
        byte += sizeof number;
      }
      text += (field == 0 ? "" : " ") + (is_there ? std::to_string(number) : "?");
    }
    const bool is_whole = byte == static_cast<const uint8_t*>(payload->bytes) + payload->size_bytes;
    const std::lock_guard guard(current->mutex_);
    current->markers_.push_back({site->name, is_whole ? text : "bad", options->flags & GECKOPROF_MARKER_PHASE});
    return 0;
  }
  static int64_t Registration(char* name, uint32_t name_bytes) {
    if (current->register_time_ns != 0) std::snprintf(name, name_bytes, "%s", "in base");
    return current->register_time_ns;
  }
  static constexpr ThreadBaseLink kLink = {Register, Unregister, State, Mark, Registration, Add};

  std::mutex mutex_;
  std::vector<std::string> registered_;
  std::vector<Marker> markers_;
};

inline ThreadFilter FilterFor(const char* name) {
  ThreadFilter filter;
  (void)filter.Add(name);
  return filter;
}

// Runs function on a thread of its own, to its end: with nothing that another test left on the thread.
template <typename Function>
void OnNewThread(const Function& function) {
  std::thread(function).join();
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_GECKOPROFILER_BASE_DOUBLE_H_
