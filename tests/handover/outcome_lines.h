// Lines "WHAT: TEXT" of what the full library answered, for the cases to compare.
#ifndef GECKOPROF_TESTS_HANDOVER_OUTCOME_LINES_H_
#define GECKOPROF_TESTS_HANDOVER_OUTCOME_LINES_H_

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "geckoprof/handover/handover_table.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprofiler/gecko_profiler.h"
#include "marker_load.h"

// Written out at once: the program may not get to its end.
inline void Print(const char* what, const geckoprof::ProfilerOutcome& outcome) {
  printf("%s: %s\n", what, geckoprof::ToText(outcome.status));
  fflush(stdout);
}

// With the detail, where there is one.
inline void PrintWhy(const char* what, const geckoprof::ProfilerOutcome& outcome) {
  printf("%s: %s\n", what, outcome.Text().c_str());
  fflush(stdout);
}

// How often the recording that runs has interrupted a running thread for a sample; the program's others that sleep, the
// libraries' own among them, have samples without that.
inline uint64_t Interruptions() {
  const auto table =
      reinterpret_cast<geckoprof::HandoverTableFunction*>(dlsym(RTLD_DEFAULT, geckoprof::kHandoverTableFunction));
  uint64_t bytes = 0, count = 0;
  const auto* const header = static_cast<const geckoprof::SegmentHeader*>(table()->segment_at(0, &bytes));
  if (header == nullptr) return 0;
  for (const auto& bucket : header->pause_counts) count += bucket.load(std::memory_order_relaxed);
  return count;
}

// Works until the running recording has so many more samples of this thread, if no other one works: on a busy machine
// that may take a while.
inline void WorkUntilSampled(uint64_t count = 40) {
  const uint64_t before = Interruptions();
  for (const int64_t end_ns = geckoprof_base_now() + 10'000 * kMs; Interruptions() < before + count;) {
    WorkFor(2 * kMs);
    if (geckoprof_base_now() < end_ns) continue;
    printf("no samples: %lu of %lu\n", Interruptions() - before, count);
    return;
  }
}

// Runs the mode that argv[1] names with argv[2]. The result is the program's status.
struct ProgramMode {
  const char* name;
  void (*run)(const char* file);
};
template <size_t kCount>
int RunMode(int argc, char** argv, const ProgramMode (&modes)[kCount]) {
  for (const ProgramMode& mode : modes) {
    if (argc != 3 || strcmp(argv[1], mode.name) != 0) continue;
    mode.run(argv[2]);
    return 0;
  }
  fprintf(stderr, "usage: %s MODE FILE\n", argv[0]);
  return 2;
}

#endif  // GECKOPROF_TESTS_HANDOVER_OUTCOME_LINES_H_
