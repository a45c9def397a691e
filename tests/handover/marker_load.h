// Work for profiles: busy time, and threads that make numbered markers through base's API.
#ifndef GECKOPROF_TESTS_HANDOVER_MARKER_LOAD_H_
#define GECKOPROF_TESTS_HANDOVER_MARKER_LOAD_H_

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/c/geckoprof_markers.h"

inline constexpr int64_t kMs = 1'000'000;

// In user space, for so long.
__attribute__((noinline)) inline void WorkFor(int64_t ns) {
  static std::atomic<uint64_t> total{0};
  uint64_t sum = 1;
  for (const int64_t end = geckoprof_base_now() + ns; geckoprof_base_now() < end;) {
    for (int i = 0; i < 1000; ++i) sum = sum * 6364136223846793005u + 1;
  }
  total.fetch_add(sum, std::memory_order_relaxed);
}

// Threads with numbers from 0 on, each of which goes on until ends().
class LoadThreads {
 public:
  void Stop() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 protected:
  template <typename Run>
  void Start(int count, const Run& run) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([run, i] { run(i); });
  }
  bool ends() const { return ends_; }

 private:
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

// Threads "Load 0", "Load 1"...: each makes markers "seq" with the texts 0, 1, 2... until Stop, which prints
// "seq THREAD COUNT" for each. text_bytes: each text begins with that many zeros.
class MarkerLoad : public LoadThreads {
 public:
  explicit MarkerLoad(int count, size_t text_bytes = 0, int pause_us = 300)
      : zeros_(text_bytes, '0'), pause_us_(pause_us) {
    Start(count, [this](int number) { Run(number); });
  }

 private:
  void Run(int number) {
    const std::string name = "Load " + std::to_string(number);
    geckoprof_base_register_thread(name.c_str());
    int made = 0;
    for (; !ends(); ++made) {
      const std::string text = zeros_ + std::to_string(made);
      geckoprof_base_mark_text("seq", 1u << 8, nullptr, text.data(), text.size());
      usleep(static_cast<useconds_t>(pause_us_));
    }
    printf("seq %d %d\n", number, made);
    geckoprof_base_unregister_thread();
  }
  const std::string zeros_;
  const int pause_us_;
};

// So many at a time of threads that register, open a label, make one marker and end. Stop prints "churn NUMBER COUNT".
class ThreadChurn : public LoadThreads {
 public:
  explicit ThreadChurn(int count) {
    Start(count, [this](int number) { Run(number); });
  }

 private:
  void Run(int number) {
    int made = 0;
    for (; !ends(); ++made) {
      std::thread([] {
        geckoprof_base_register_thread("Short");
        void* const label = geckoprof_base_label_enter("short label", nullptr, 1u << 8, __builtin_frame_address(0));
        geckoprof_base_mark_text("of a short one", 1u << 8, nullptr, "", 0);
        geckoprof_base_label_leave(label);
        geckoprof_base_unregister_thread();
      }).join();
      usleep(500);
    }
    printf("churn %d %d\n", number, made);
  }
};

#endif  // GECKOPROF_TESTS_HANDOVER_MARKER_LOAD_H_
