// What two threads that mark at once cost each other: against one thread beside another process that marks just so into
// a recording of its own, which shares nothing with it but the machine. On two processors that are the halves of one
// core either is slower than a thread alone; and where each is the half of a core whose other half has work of its own,
// one may be slower than the other: so each thread is compared with one on the same processor.
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/markers.h"
#include "tests/bench/markers/floor_record.h"
#include "tests/bench/markers/lttng_peer.h"

namespace geckoprof {
namespace {

constexpr size_t kStretches = 100;
constexpr int kPartsOfStretch = 40;
constexpr uint64_t kTurnsOfPart = 50;

// What is compared; a turn is one marker.
struct Work {
  const char* name;
  void (*part)();  // kTurnsOfPart turns
};

template <typename Turn>
constexpr Work MakeWork(const char* name, Turn) {
  return {name, [] {
            for (uint64_t i = 0; i < kTurnsOfPart; ++i) {
              Turn{}();
              asm volatile("" ::: "memory");
            }
          }};
}

std::mutex g_mutex;
Ring g_ring;

constexpr Work kScope = MakeWork("scope", [] { AUTO_PROFILER_MARKER_UNTYPED("scope", OTHER); });
constexpr Work kText = MakeWork("text", [] { PROFILER_MARKER_TEXT("text", OTHER, {}, "sixteen bytes ok"); });
constexpr Work kGuarded = MakeWork("a buffer behind a mutex", [] {
  const uint64_t begin = Cycles();
  const std::lock_guard<std::mutex> lock(g_mutex);
  PutRecord(g_ring, begin, Cycles());
});
constexpr Work kLttngScope = MakeWork("LTTng-UST scope", [] { LttngScope(Cycles()); });
constexpr Work kLttngText = MakeWork("LTTng-UST text", [] { LttngText("sixteen bytes ok"); });

int64_t CpuNs() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

void StayOn(size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// How far one of several is; others see it, of another process, too.
struct alignas(256) Progress {
  std::atomic<uint64_t> parts{0};
  // Of the other process.
  std::atomic<bool> is_wanted{false};
  std::atomic<size_t> processor{1};  // where it is to work
};

// Another process of this program that does the same work while it is wanted.
class OtherProcess {
 public:
  explicit OtherProcess(const Work& work) {
    const int memory = memfd_create("marker_threads_bench", 0);
    if (memory < 0 || ftruncate(memory, sizeof(Progress)) != 0) return;
    const std::string number = std::to_string(memory);
    pid_ = fork();
    if (pid_ == 0) {
      execl("/proc/self/exe", "marker_threads_bench", work.name, number.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    void* const mapped = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    close(memory);
    if (mapped != MAP_FAILED) progress_ = static_cast<Progress*>(mapped);
  }
  ~OtherProcess() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    if (progress_ != nullptr) munmap(progress_, sizeof(Progress));
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  // Null: there is none.
  Progress* progress() { return progress_; }

  // In that process; ends with its parent.
  [[noreturn]] static void Run(const Work& work, int memory) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    auto* const progress =
        static_cast<Progress*>(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
    for (size_t stays_on = SIZE_MAX;;) {
      if (!progress->is_wanted.load(std::memory_order_relaxed)) {
        usleep(100);
        continue;
      }
      const size_t processor = progress->processor.load(std::memory_order_relaxed);
      if (std::exchange(stays_on, processor) != processor) StayOn(processor);
      work.part();
      progress->parts.fetch_add(1, std::memory_order_relaxed);
    }
  }

 private:
  pid_t pid_ = -1;
  Progress* progress_ = nullptr;
};

// Stretches of work, until enough of them were beside the other's: else the machine had no processor for both. The
// median of ns a turn; negative: there were not enough.
double MeasureStretches(const Work& work, Progress& own, const Progress* other, std::atomic<int>& unfinished) {
  std::vector<double> turns_ns;
  const int64_t latest_ns = geckoprof_base_now() + 1'000'000'000;
  while (unfinished.load(std::memory_order_relaxed) != 0 && geckoprof_base_now() < latest_ns) {
    const uint64_t others = other == nullptr ? 0 : other->parts.load(std::memory_order_relaxed);
    const int64_t begin_cpu_ns = CpuNs();
    const int64_t begin_ns = geckoprof_base_now();
    for (int part = 0; part < kPartsOfStretch; ++part) {
      work.part();
      own.parts.store(own.parts.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    const auto ns = static_cast<double>(geckoprof_base_now() - begin_ns);
    if (other != nullptr && other->parts.load(std::memory_order_relaxed) - others < kPartsOfStretch / 4) continue;
    // Nor in one in which this thread had to wait for its processor; the clock of CPU time itself takes half a us.
    if (ns > 1.1 * static_cast<double>(CpuNs() - begin_cpu_ns) + 1000) continue;
    turns_ns.push_back(ns / (kPartsOfStretch * kTurnsOfPart));
    if (turns_ns.size() == kStretches) unfinished.fetch_sub(1);
  }
  return turns_ns.size() < kStretches ? -1 : Median(turns_ns);
}

using NsOnProcessors = std::array<double, 2>;  // a turn; negative: not measured

// Of a thread on each of two processors at once.
NsOnProcessors NsOfTwo(const Work& work) {
  NsOnProcessors ns = {};
  Progress progress[2];
  std::atomic<int> unfinished{2};
  std::atomic<size_t> ready{0};
  std::vector<std::thread> all;
  for (size_t i = 0; i < 2; ++i) {
    all.emplace_back([&, i] {
      StayOn(i);
      for (int warm = 0; warm < 20; ++warm) work.part();
      ready.fetch_add(1);
      while (ready.load() < 2) {
      }
      ns[i] = MeasureStretches(work, progress[i], &progress[1 - i], unfinished);
    });
  }
  for (std::thread& thread : all) thread.join();
  return ns;
}

// Of one thread, on each processor in turn. `process`: one that works on the other meanwhile, or null.
NsOnProcessors NsOfOne(const Work& work, Progress* process) {
  NsOnProcessors ns = {};
  for (size_t i = 0; i < 2; ++i) {
    if (process != nullptr) {
      process->processor.store(1 - i);
      process->is_wanted.store(true);
    }
    std::thread thread([&] {
      Progress progress;
      std::atomic<int> unfinished{1};
      StayOn(i);
      for (int warm = 0; warm < 20; ++warm) work.part();
      ns[i] = MeasureStretches(work, progress, process, unfinished);
    });
    thread.join();
    if (process != nullptr) process->is_wanted.store(false);
  }
  return ns;
}

struct Result {
  double ratio = 0;  // two threads against one beside a process, of the one that loses more; 0: not measured
  double alone_ns = 0, beside_process_ns = 0, both_ns = 0;
};

Result Measure(const Work& work) {
  std::vector<double> alone, beside_process, both, ratios;
  OtherProcess other(work);
  for (int round = 0; round < 15 && other.progress() != nullptr; ++round) {
    const NsOnProcessors alone_ns = NsOfOne(work, nullptr);
    const NsOnProcessors beside_ns = NsOfOne(work, other.progress());
    const NsOnProcessors both_ns = NsOfTwo(work);
    const bool is_measured =
        std::min({alone_ns[0], alone_ns[1], beside_ns[0], beside_ns[1], both_ns[0], both_ns[1]}) >= 0;
    if (!is_measured) continue;
    const size_t loser = both_ns[1] / beside_ns[1] > both_ns[0] / beside_ns[0] ? 1 : 0;
    alone.push_back(alone_ns[loser]);
    beside_process.push_back(beside_ns[loser]);
    both.push_back(both_ns[loser]);
    ratios.push_back(both_ns[loser] / beside_ns[loser]);
  }
  if (ratios.empty()) return {};
  return {Median(ratios), Median(alone), Median(beside_process), Median(both)};
}

std::string Figures(const Result& result) {
  char text[160];
  std::snprintf(text, sizeof text, "%.2f x (%.1f ns; one thread beside another process %.1f, alone %.1f)", result.ratio,
                result.both_ns, result.beside_process_ns, result.alone_ns);
  return text;
}

Result Compare(const Work& work) {
  constexpr double kBar = 1.1;
  const Result result = Measure(work);
  const char* const verdict = result.ratio == 0      ? "not measured: no two processors"
                              : result.ratio <= kBar ? "met"
                                                     : "missed";
  std::printf("BAR %s, two threads at once | %s | <= %.2f x | %s\n", work.name, Figures(result).c_str(), kBar, verdict);
  return result;
}

// LTTng-UST, which has a buffer a processor, doing the same.
void ComparePeer(const Work& work, const Result& ours) {
  const Result theirs = Measure(work);
  std::printf("peer: %s, two threads at once | %s | ours take %.2f of that alone, %.2f both\n", work.name,
              Figures(theirs).c_str(), ours.alone_ns / theirs.alone_ns, ours.both_ns / theirs.both_ns);
}

int Main(int argc, char** argv) {
  if (geckoprof_base_start(64 << 20, 1'000'000, 0, nullptr, 0, 0) != 0) return 1;
  usleep(20'000);  // the sampler says which clock
  const bool is_traced = LttngPeerState() == LttngState::kTraced;
  if (argc == 3) {
    for (const Work& work : {kScope, kText, kGuarded, kLttngScope, kLttngText}) {
      if (std::string_view(argv[1]) == work.name) OtherProcess::Run(work, std::atoi(argv[2]));
    }
    return 2;
  }
  const Result scope = Compare(kScope), text = Compare(kText);
  std::printf("contrast: %s | %s\n", kGuarded.name, Figures(Measure(kGuarded)).c_str());
  if (is_traced) {
    ComparePeer(kLttngScope, scope);
    ComparePeer(kLttngText, text);
  } else {
    std::printf("peer: LTTng-UST | not measured: %s\n",
                LttngPeerState() == LttngState::kNotInstalled ? "LTTng not installed" : "no session traces it");
  }
  return 0;
}

}  // namespace
}  // namespace geckoprof

int main(int argc, char** argv) { return geckoprof::Main(argc, argv); }
