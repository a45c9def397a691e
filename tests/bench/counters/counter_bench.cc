// What counting costs, beside the floor of the same machine: relaxed additions to a word of one's own. Floor and
// counter take turns; figures are medians of rounds. Then the bytes that a counter which changes at every tick costs.
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counters.h"
#include "geckoprof/segment/segment_view.h"

namespace {

PROFILER_DEFINE_STATIC_COUNT(bench_count, "Test", "One addition");
PROFILER_DEFINE_STATIC_COUNT_TOTAL(bench_total, "Memory", "An addition and its number", {.unit = "bytes"});

constexpr int kRounds = 21;
constexpr int64_t kPerRound = 1'000'000;
constexpr int kCounters = 8;

struct alignas(64) Words {
  uint64_t first, second;
};
Words g_words;

template <typename Body>
double NsEach(const Body& body) {
  const int64_t begin_ns = geckoprof_base_now();
  for (int64_t i = 0; i < kPerRound; ++i) body();
  return static_cast<double>(geckoprof_base_now() - begin_ns) / static_cast<double>(kPerRound);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Floor, typename Ours>
void Compare(const std::string& name, const Floor& floor, const Ours& ours) {
  std::vector<double> floors, times;
  for (int round = 0; round < kRounds; ++round) {
    floors.push_back(NsEach(floor));
    times.push_back(NsEach(ours));
  }
  std::printf("%s | %.1f ns | floor %.1f ns\n", name.c_str(), Median(times), Median(floors));
}

template <typename Body>
double TwoThreads(const Body& body) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    double other = 0;
    std::thread thread([&] { other = NsEach(body); });
    const double own = NsEach(body);
    thread.join();
    times.push_back(std::max(own, other));
  }
  return Median(times);
}

void Costs(const std::string& when) {
  const auto one = [] { __atomic_fetch_add(&g_words.first, 1, __ATOMIC_RELAXED); };
  const auto two = [] {
    __atomic_fetch_add(&g_words.first, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&g_words.second, 1, __ATOMIC_RELAXED);
  };
  Compare("count, " + when, one, [] { ++profiler_count_bench_count; });
  Compare("total, " + when, two, [] { AUTO_PROFILER_COUNT_TOTAL(bench_total, 64); });
  std::printf("total, %s, two threads | %.1f ns | floor %.1f ns\n", when.c_str(),
              TwoThreads([] { AUTO_PROFILER_COUNT_TOTAL(bench_total, 64); }), TwoThreads(two));
}

// Of the newest segment in `folder`: bytes of the sampler's entries.
uint64_t SamplerBytes(const std::string& folder) {
  uint64_t bytes = 0;
  DIR* const directory = opendir(folder.c_str());
  while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory)) {
    geckoprof::SegmentView view;
    const std::string path = folder + "/" + entry->d_name;
    if (path.ends_with(".segment") && view.OpenFile(path.c_str()) == geckoprof::SegmentView::OpenResult::kOk) {
      bytes = view.header().sampler_bytes.load();
    }
  }
  if (directory != nullptr) closedir(directory);
  return bytes;
}

// Sampling no thread: all bytes are the counters' and their ticks'.
void Bytes(const std::string& folder) {
  geckoprof_counter* counters[kCounters];
  for (auto& counter : counters) {
    const geckoprof_counter_description description = {
        sizeof description, GECKOPROF_COUNTER_HAS_NUMBER, "bytes", "Memory", "", "bytes", nullptr};
    counter = geckoprof_base_counter_create(&description);
  }
  for (const int changed : {0, 1, kCounters}) {
    const uint64_t before = SamplerBytes(folder);
    const int64_t end_ns = geckoprof_base_now() + 500'000'000;
    constexpr int64_t kTicks = 500;
    while (geckoprof_base_now() < end_ns) {
      for (int i = 0; i < changed; ++i) geckoprof_base_counter_add(counters[i], 4096 + i);
      usleep(200);
    }
    const uint64_t bytes = SamplerBytes(folder) - before;
    std::printf("%d counters change | %.1f bytes a tick\n", changed,
                static_cast<double>(bytes) / static_cast<double>(kTicks));
  }
}

}  // namespace

int main() {
  if (getenv("GECKOPROF_SESSION_DIR") == nullptr) {
    std::puts("set GECKOPROF_SESSION_DIR to an empty folder of mode 0700 for the bytes");
  }
  Costs("inactive");
  const char* const filters[] = {"no such thread"};
  if (geckoprof_base_start(64 << 20, 1'000'000, 0, filters, 1, 0) != 0) return 1;
  usleep(20'000);
  Costs("active");
  if (const char* const session = getenv("GECKOPROF_SESSION_DIR")) Bytes(session);
  return 0;
}
