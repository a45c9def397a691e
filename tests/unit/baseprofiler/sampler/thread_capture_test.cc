// Through the table, in forked children: the process has one core and one disposition of the signal.
#include "sampler/thread_capture.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <thread>

#include "baseprofiler/base_profiler.h"
#include "geckoprof/base/clock.h"
#include "process/process_control.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

extern "C" const geckoprof::HandoverTable* geckoprof_base_handover_table();

namespace geckoprof {
namespace {

constexpr int64_t kLongNs = 5'000'000'000;

// What was brought, copied.
struct Taken {
  int calls = 0;
  HandoverStack stack = {};
  std::string labels;
  uint64_t wanted = 0;  // a word that is looked for
  bool found_word = false;
  int32_t nested = -1;

  static void Take(void* context, const HandoverStack* stack) {
    auto* const self = static_cast<Taken*>(context);
    ++self->calls;
    self->stack = *stack;
    for (uint32_t i = 0; i < stack->label_count; ++i) {
      const auto* const label = reinterpret_cast<const HandoverLabel*>(reinterpret_cast<const char*>(stack->labels) +
                                                                       i * stack->label_size_bytes);
      self->labels.append(label->text, label->text_bytes).append(";");
    }
    for (uint64_t at = 0; at + 8 <= stack->byte_count; at += 8) {
      uint64_t word = 0;
      memcpy(&word, stack->bytes + at, 8);
      if (word == self->wanted) self->found_word = true;
    }
  }
};

HandoverSample Sample(int32_t tid, Taken& taken, int64_t timeout_ns = kLongNs) {
  return static_cast<HandoverSample>(
      geckoprof_base_handover_table()->sample_thread(tid, timeout_ns, &Taken::Take, &taken));
}

constexpr uint64_t kPattern = 0x7a5a1c0ffee0d00d;

// A thread that leaves kPattern on its stack and then runs `body(stop)`.
class Target {
 public:
  template <typename Body>
  explicit Target(Body body)
      : thread_([this, body] {
          volatile uint64_t pattern = kPattern;
          AUTO_BASE_PROFILER_LABEL("target", OTHER);
          tid_.store(gettid());
          body(stop_);
          if (pattern != kPattern) abort();
        }) {
    while (tid_.load() == 0) sched_yield();
  }
  ~Target() {
    stop_.store(true);
    thread_.join();
  }
  int32_t tid() const { return tid_.load(); }

 private:
  std::atomic<int32_t> tid_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

void Spin(std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_relaxed)) {
  }
}

void BlockEverySignal() {
  sigset_t every;
  sigfillset(&every);
  pthread_sigmask(SIG_BLOCK, &every, nullptr);
  // The mask that libc's function is shown is not the kernel's where base translates it.
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &every, nullptr, 8);
}

TEST_CASE("the calling thread: registers, labels, and the stack where it lies") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          volatile uint64_t pattern = kPattern;
          AUTO_BASE_PROFILER_LABEL("outer", OTHER);
          AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("inner", OTHER, "one");
          for (const int32_t tid : {0, gettid()}) {
            Taken taken;
            taken.wanted = pattern;
            FORKED_REQUIRE(Sample(tid, taken) == HandoverSample::kTaken && taken.calls == 1);
            FORKED_REQUIRE(taken.stack.size_bytes == sizeof(HandoverStack) && taken.stack.tid == gettid());
            FORKED_REQUIRE(taken.stack.source == HandoverStackSource::kOwn && taken.found_word);
            FORKED_REQUIRE(taken.labels == "outer;inner one;" && taken.stack.labels_missing == 0);
            FORKED_REQUIRE(taken.stack.sp == taken.stack.bytes_avma && taken.stack.pc != 0);
            FORKED_REQUIRE(taken.stack.is_main == 1);
          }
          return 0;
        }) == 0);
}

TEST_CASE("another thread that runs answers by signal, one that is blocked is read, recorded or not") {
  for (const bool recorded : {false, true}) {
    CHECK(StatusInChild([recorded] {
            RecordingFolder::Load();
            if (recorded) FORKED_REQUIRE(geckoprof_base_start(1 << 20, 1'000'000, 0, nullptr, 0, 0) == 0);
            Target spinning(&Spin);
            Target sleeping([](std::atomic<bool>& stop) {
              while (!stop.load()) usleep(20'000);
            });
            for (int i = 0; i < 20; ++i) {
              Taken taken;
              taken.wanted = kPattern;
              FORKED_REQUIRE(Sample(spinning.tid(), taken) == HandoverSample::kTaken && taken.calls == 1);
              FORKED_REQUIRE(taken.stack.tid == spinning.tid() && taken.stack.is_main == 0);
              FORKED_REQUIRE((taken.found_word || !recorded) && taken.labels == "target;");
            }
            int blocked = 0;
            for (int i = 0; i < 20; ++i) {
              Taken taken;
              taken.wanted = kPattern;
              FORKED_REQUIRE(Sample(sleeping.tid(), taken) == HandoverSample::kTaken);
              FORKED_REQUIRE(taken.found_word && taken.labels == "target;");
              if (taken.stack.source == HandoverStackSource::kBlocked) ++blocked;
            }
            FORKED_REQUIRE(blocked >= 15);
            return 0;
          }) == 0);
  }
}

TEST_CASE("a thread that does not hear, one that is gone, and one that never was are an answer each") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          int32_t gone = 0;
          std::thread([&gone] { gone = gettid(); }).join();
          Taken taken;
          std::atomic<bool> blocks{false};
          Target blocking([&](std::atomic<bool>& stop) {
            BlockEverySignal();
            blocks = true;
            Spin(stop);
          });
          while (!blocks) sched_yield();
          FORKED_REQUIRE(Sample(blocking.tid(), taken, 200'000'000) == HandoverSample::kSignalBlocked);
          FORKED_REQUIRE(Sample(gone, taken) == HandoverSample::kNoThread);
          FORKED_REQUIRE(Sample(-1, taken) == HandoverSample::kNoThread);
          FORKED_REQUIRE(Sample(getppid(), taken) == HandoverSample::kNoThread);
          FORKED_REQUIRE(taken.calls == 0);
          return 0;
        }) == 0);
}

TEST_CASE(
    "asked inside of an answer it refuses, in a forked child it works, in one that nobody told us of it refuses") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          Target spinning(&Spin);
          struct Nested {
            int32_t tid, result;
          } nested{spinning.tid(), -1};
          const auto take = [](void* context, const HandoverStack*) {
            auto* const inner = static_cast<Nested*>(context);
            Taken taken;
            inner->result = static_cast<int32_t>(Sample(inner->tid, taken));
            if (Sample(0, taken) != HandoverSample::kTaken) inner->result = -2;
          };
          FORKED_REQUIRE(geckoprof_base_handover_table()->sample_thread(nested.tid, kLongNs, take, &nested) == 0);
          FORKED_REQUIRE(nested.result == static_cast<int32_t>(HandoverSample::kWrongThread));
          const pid_t child = fork();
          if (child == 0) {
            Target own(&Spin);
            Taken taken;
            const bool good = Sample(own.tid(), taken) == HandoverSample::kTaken &&
                              Sample(0, taken) == HandoverSample::kTaken &&
                              Sample(nested.tid, taken) == HandoverSample::kNoThread;
            syscall(SYS_exit_group, good ? 0 : 1);
          }
          int status = -1;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && status == 0);
          const pid_t untold = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
          if (untold == 0) {
            Taken taken;
            syscall(SYS_exit_group, Sample(0, taken) == HandoverSample::kWrongThread ? 0 : 1);
          }
          FORKED_REQUIRE(waitpid(untold, &status, 0) == untold && status == 0);
          return 0;
        }) == 0);
}

TEST_CASE("a sleeper's calls are not interrupted, and take no longer") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          std::atomic<int> interrupted{0}, rounds{0};
          Target sleeper([&](std::atomic<bool>& stop) {
            while (!stop.load()) {
              const timespec pause = {0, 300'000};
              if (nanosleep(&pause, nullptr) != 0) ++interrupted;
              for (int i = 0; i < 20'000; ++i) asm volatile("");
              ++rounds;
            }
          });
          const int64_t until_ns = MonotonicNs() + 300'000'000;
          int good = 0;
          while (MonotonicNs() < until_ns) {
            Taken taken;
            if (Sample(sleeper.tid(), taken) == HandoverSample::kTaken) ++good;
          }
          FORKED_REQUIRE(good > 50 && interrupted == 0 && rounds > 10);
          return 0;
        }) == 0);
}

// A request that is on its way keeps the signal as it is: the program's handler must never meet one.
TEST_CASE("a program that takes the signal meanwhile never sees a request of ours") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          static std::atomic<int> strange{0};
          Target spinning(&Spin);
          std::atomic<bool> stop{false};
          std::thread changer([&] {
            while (!stop.load()) {
              struct sigaction action = {};
              action.sa_flags = SA_RESTART;
              action.sa_handler = [](int) { ++strange; };
              sigaction(SIGURG, &action, nullptr);
              usleep(200);
              action.sa_handler = SIG_DFL;
              sigaction(SIGURG, &action, nullptr);
            }
          });
          int good = 0;
          for (int i = 0; i < 300; ++i) {
            Taken taken;
            if (Sample(spinning.tid(), taken, 100'000'000) == HandoverSample::kTaken) ++good;
          }
          stop = true;
          changer.join();
          FORKED_REQUIRE(strange == 0 && good > 250);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
