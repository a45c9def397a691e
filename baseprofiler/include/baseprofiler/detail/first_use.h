#ifndef GECKOPROF_BASEPROFILER_DETAIL_FIRST_USE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_FIRST_USE_H_

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <new>

namespace geckoprof::internal {

// NoInterruption: no signal handler runs on this thread while it lives, but for what an instruction raises: one that
// marks the same type, or leaves by a jump, would find what is being made here neither made nor free. By libc's calls:
// those of the kernel are nothing for a public header.
class NoInterruption {
 public:
  NoInterruption() {
    sigset_t all;
    sigfillset(&all);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, signal);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoInterruption() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoInterruption(const NoInterruption&) = delete;
  NoInterruption& operator=(const NoInterruption&) = delete;

 private:
  sigset_t before_;
};

// FirstUse: a value that code of the program's makes when it is first asked for. What a static variable of a function
// is, but for two who would wait for ever there: the child of a fork whose maker is in the parent, which makes it anew,
// and who asks while it makes it (an allocator that marks), which gets none.
//
//   nobody ---> maker's process and thread ---> made
//     ^ <-- it threw          | another process: made anew, in the same place
//
// Lifetime: static; a value is never destroyed, which is why it must need no destructor's work. Threads: any; others
// wait for the maker. Context: any but the child of a vfork.
template <typename Value>
class FirstUse {
 public:
  // Null: asked for by what makes it. make(place): makes the value at `place`, by placement new.
  template <typename Make>
  Value* Get(const Make& make) {
    Value* value = made_.load(std::memory_order_acquire);
    while (value == nullptr) {
      const NoInterruption first_use;
      if (const Turn turn = Take(); turn != Turn::kTaken) {
        if (turn == Turn::kOwn) return nullptr;
      } else {
        const Release release{maker_};
        value = make(static_cast<void*>(place_));
        made_.store(value, std::memory_order_release);
        return value;
      }
      sched_yield();
      value = made_.load(std::memory_order_acquire);
    }
    return value;
  }

 private:
  enum class Turn : uint8_t { kTaken, kOwn, kOther };
  struct Release {
    std::atomic<uint64_t>& maker;
    ~Release() { maker.store(0, std::memory_order_release); }
  };

  Turn Take() {
    const auto process = static_cast<uint64_t>(getpid()) << 32;
    const uint64_t self = process | static_cast<uint32_t>(syscall(SYS_gettid));
    uint64_t maker = 0;
    while (!maker_.compare_exchange_weak(maker, self, std::memory_order_acq_rel)) {
      if (maker == self) return Turn::kOwn;
      if (maker >> 32 == process >> 32) return Turn::kOther;
    }
    return made_.load(std::memory_order_acquire) == nullptr ? Turn::kTaken : Turn::kOther;
  }

  std::atomic<Value*> made_{nullptr};
  std::atomic<uint64_t> maker_{0};
  alignas(Value) unsigned char place_[sizeof(Value)] = {};
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_FIRST_USE_H_
