// capture_memory_program KIND MIB [LIMIT]: fills a buffer of MIB MiB, saves the profile to /dev/null, and prints how
// much memory that took at its peak beside what the process had before. The buffer itself is not counted.
//
//   KIND mix      markers of several kinds, a twentieth of them with a stack, and samples
//        texts    markers with a text each that no other has
//        names    markers with a name each that no other has
//        samples  samples of many threads at the shortest interval
//
// LIMIT: fails if the peak is more than LIMIT times the buffer.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "geckoprofiler/gecko_profiler.h"

namespace {

struct Step : geckoprof::BaseMarkerType<Step> {
  using MS = geckoprof::MarkerSchema;
  static constexpr const char* Name = "Step";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"count", MS::InputType::Int64, "Count", MS::Format::Integer},
      {"share", MS::InputType::Double, "Share", MS::Format::Decimal},
      {"file", MS::InputType::String, "File", MS::Format::FilePath},
      {"kind", MS::InputType::String, "Kind", MS::Format::UniqueString}};
};

// In bytes.
uint64_t Status(const char* key) {
  FILE* const file = fopen("/proc/self/status", "re");
  char line[256];
  uint64_t kib = 0;
  while (file != nullptr && fgets(line, sizeof(line), file) != nullptr) {
    if (strncmp(line, key, strlen(key)) == 0) kib = strtoull(line + strlen(key) + 1, nullptr, 10);
  }
  if (file != nullptr) fclose(file);
  return kib * 1024;
}

void ForgetPeak() {
  FILE* const file = fopen("/proc/self/clear_refs", "we");
  if (file == nullptr) return;
  fputs("5", file);
  fclose(file);
}

void MarkOfEachKind(uint64_t number) {
  const std::string text = "request " + std::to_string(number);
  PROFILER_MARKER_UNTYPED("plain", OTHER);
  PROFILER_MARKER_TEXT("text", OTHER, {}, text);
  PROFILER_MARKER("step", OTHER, {}, Step, static_cast<int64_t>(number), static_cast<double>(number) / 3, text,
                  number % 2 == 0 ? "even" : "odd");
  if (number % 7 == 0) {
    PROFILER_MARKER_TEXT("with a stack", OTHER, geckoprof::MarkerStack::Capture(), text);
  }
}

void MarkUntil(std::string_view kind, int thread, const std::atomic<bool>& ends) {
  geckoprof_base_register_thread(("Marks " + std::to_string(thread)).c_str());
  for (uint64_t number = 0; !ends; ++number) {
    if (kind == "mix") {
      MarkOfEachKind(number);
    } else if (kind == "texts") {
      PROFILER_MARKER_TEXT("text", OTHER, {}, std::to_string(thread) + " of many, number " + std::to_string(number));
    } else if (kind == "names") {
      const std::string name = std::to_string(thread) + " of many, number " + std::to_string(number);
      PROFILER_MARKER_UNTYPED(name, OTHER);
    }
    if (kind == "samples" && number % 64 == 0) std::this_thread::yield();
  }
  geckoprof_base_unregister_thread();
}

double MiB(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view kind = argv[1];
  const auto mib = static_cast<uint32_t>(strtoul(argv[2], nullptr, 10));
  const double limit = argc > 3 ? strtod(argv[3], nullptr) : 0;
  const bool by_samples = kind == "samples";
  const geckoprof::ProfilerStartResult started =
      profiler_start(mib << 17, by_samples ? 0.05 : 1, ProfilerFeature::StackWalk | ProfilerFeature::CPUUtilization);
  if (!started) {
    fprintf(stderr, "%s: not started: %s\n", argv[1], started.outcome.Text().c_str());
    return 1;
  }
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < (by_samples ? 16 : 4); ++i) threads.emplace_back([&, i] { MarkUntil(kind, i, ends); });
  uint64_t used_bytes = 0, capacity_bytes = uint64_t{mib} << 20;
  for (int tries = 0; tries < 6'000 && used_bytes < capacity_bytes / 100 * 98; ++tries) {
    usleep(10'000);
    if (const auto info = profiler_get_buffer_info()) {
      used_bytes = info->used_bytes;
      capacity_bytes = info->capacity_bytes;
    }
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  ForgetPeak();
  const uint64_t before_bytes = Status("VmRSS");
  const int64_t begin_ns = geckoprof_base_now();
  const geckoprof::ProfilerOutcome outcome = profiler_save_profile("/dev/null");
  const int64_t took_ns = geckoprof_base_now() - begin_ns;
  const uint64_t peak_bytes = Status("VmHWM");
  const double ratio = static_cast<double>(peak_bytes - before_bytes) / static_cast<double>(capacity_bytes);
  printf("%s: used %.1f of %.1f MiB, before %.1f, peak %.1f, beside %.1f MiB, %.2f times the buffer, %.2f s\n", argv[1],
         MiB(used_bytes), MiB(capacity_bytes), MiB(before_bytes), MiB(peak_bytes), MiB(peak_bytes - before_bytes),
         ratio, static_cast<double>(took_ns) / 1e9);
  if (!outcome || used_bytes < capacity_bytes / 2) {
    fprintf(stderr, "%s: not filled, or not saved: %s\n", argv[1], outcome.Text().c_str());
    return 1;
  }
  return limit != 0 && ratio > limit ? 1 : 0;
}
