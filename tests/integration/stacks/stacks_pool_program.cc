// Threads that wait for work most of the time, in functions with frame pointers. At -O2 compilers put other
// instructions between those that set up a frame.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace {

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }
  void Add(int job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push(job);
    }
    changed_.notify_one();
  }
  void Finish() {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  __attribute__((noinline)) void Work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return finished_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const int job = jobs_.front();
      jobs_.pop();
      lock.unlock();
      for (int i = 0; i < job; ++i) asm volatile("");
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<int> jobs_;
  bool finished_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

int main() {
  Pool pool(3);
  for (int i = 0; i < 100; ++i) {
    pool.Add(100000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  pool.Finish();
}
