#include "tests/support/sample_process.h"

namespace geckoprof {
namespace {

constexpr int64_t kStartNs = 1'000'000'000;
constexpr int64_t kMs = 1'000'000;

LibraryRow Library(const char* path, uint64_t start, uint64_t end, int64_t mapped_ns) {
  LibraryRow row;
  row.path = path;
  row.start_avma = start;
  row.end_avma = end;
  row.bias = start;
  row.mapped_ns = mapped_ns;
  for (char c = 1; c <= 20; ++c) row.build_id.push_back(c);
  row.build_id[19] = path[6];
  return row;
}

MarkerRow Marker(int32_t name, MarkerPhase phase, int64_t start_ms, int64_t end_ms) {
  MarkerRow marker;
  marker.name = name;
  marker.phase = phase;
  marker.start_ns = kStartNs + start_ms * kMs;
  marker.end_ns = kStartNs + end_ms * kMs;
  marker.category = 1;
  return marker;
}

void AddStacks(ProcessProfile& profile) {
  profile.frames = {{FrameKind::kRoot, 0, kNone, kNone, kNone, kNone},
                    {FrameKind::kInstruction, 0x400100, 0, kNone, kNone, kNone},
                    {FrameKind::kInstruction, 0x10010, 1, kNone, kNone, kNone},
                    {FrameKind::kInstruction, 0x10010, 2, kNone, kNone, kNone},
                    {FrameKind::kLabel, 0, kNone, 0, 1, 1},
                    {FrameKind::kReason, 0, kNone, 1, kNone, kNone}};
  profile.stacks = {{kNone, 0}, {0, 1}, {1, 2}, {1, 3}, {1, 4}, {0, 5}};
}

ThreadRow MainThread() {
  ThreadRow thread;
  thread.tid = 1001;
  thread.name = "solver";
  thread.is_main = true;
  thread.registered_ns = kStartNs;
  thread.samples = {{kStartNs + 1 * kMs + 258'982, 2, -1, 1},
                    {kStartNs + 6 * kMs + 258'982, 1, 0, 5, kMs},
                    {kStartNs + 7 * kMs + 258'983, 3, 900'000, 1}};
  MarkerRow text = Marker(2, MarkerPhase::kInterval, 2, 4);
  text.type = 0;
  text.stack = 1;
  text.fields = {
      {3, MarkerFieldKind::kText, 4, 0}, {5, MarkerFieldKind::kNumber, kNone, 2.5}, {7, MarkerFieldKind::kText, 4, 0}};
  thread.markers = {text, Marker(6, MarkerPhase::kInstant, 3, 0), Marker(6, MarkerPhase::kIntervalStart, 5, 0),
                    Marker(6, MarkerPhase::kIntervalEnd, 0, 6)};
  return thread;
}

ThreadRow Worker() {
  ThreadRow thread;
  thread.tid = 1002;
  thread.name = "worker";
  thread.registered_ns = kStartNs + 2 * kMs;
  thread.unregistered_ns = kStartNs + 9 * kMs;
  thread.samples = {{kStartNs + 3 * kMs, 4, 500, 1}, {kStartNs + 4 * kMs, 5, 1'000, 1}};
  return thread;
}

}  // namespace

ProcessProfile SampleProcess() {
  ProcessProfile profile;
  profile.pid = 1001;
  profile.executable = "/opt/demo/solver";
  profile.arguments = {"solver", "two words"};
  profile.exec_ns = kStartNs - 2 * kMs;
  profile.constructor_ns = kStartNs;
  profile.start_ns = kStartNs;
  profile.start_epoch_ms = 1795225882549.5;
  profile.end_ns = kStartNs + 10 * kMs;
  profile.end_reason = "exited";
  profile.interval_ns = kMs;
  profile.capacity_bytes = 8192;
  profile.features = {"stackwalk", "cpu"};
  profile.filters = {"*"};
  profile.libraries = {
      Library("/opt/demo/solver", 0x400000, 0x500000, kStartNs), Library("/lib/a.so", 0x10000, 0x20000, kStartNs),
      Library("/lib/b.so", 0x10000, 0x20000, kStartNs + 5 * kMs), Library("[vdso]", 0x700000, 0x702000, kStartNs)};
  profile.libraries[1].unmapped_ns = kStartNs + 5 * kMs;
  profile.categories = {{"Other", "grey", {"Other"}}, {"Solving", "purple", {"Other", "Inner"}}};
  MarkerTypeRow type;
  type.name = "Step";
  type.description = "One step.";
  type.chart_label = "{marker.data.name}";
  type.display = {"marker-chart", "marker-table"};
  type.fields = {
      {"name", "Details", "string", false}, {"size", "Size", "bytes", true}, {"id", "", "unique-string", false}};
  profile.marker_types = {type};
  profile.strings = {"Solver::Run step:64", "(truncated)", "step", "name", "inner loop", "size", "tick", "id"};
  AddStacks(profile);
  profile.threads = {MainThread(), Worker()};
  CounterRow counter{"cache", "Memory", "Bytes in the cache", "bytes", "", true, false, kStartNs + kMs, 0, {}};
  counter.samples = {{kStartNs + kMs, 4096, 2}, {kStartNs + 3 * kMs, -96, 1}, {kStartNs + 9 * kMs, 0, 0}};
  profile.counters = {counter};
  profile.paused = {{kStartNs + 8 * kMs, 0, "profiler-paused"}};
  profile.losses = {{"no-chunk", 3}};
  profile.pauses = {{1000, 2000}, {5, 7}};
  profile.samples_asked = 12;
  profile.samples_taken = 11;
  return profile;
}

ProcessProfile SampleSecondImage() {
  ProcessProfile profile;
  profile.pid = 1001;
  profile.image = 1;
  profile.executable = "/usr/bin/next";
  profile.start_ns = kStartNs + 20 * kMs;
  profile.start_epoch_ms = 1795225882569.5;
  profile.end_ns = kStartNs + 30 * kMs;
  profile.end_reason = "killed";
  profile.interval_ns = kMs;
  profile.frames = {{FrameKind::kRoot, 0, kNone, kNone, kNone, kNone}};
  profile.stacks = {{kNone, 0}};
  profile.categories = {{"Fresh", "red", {"Other"}}};
  return profile;
}

}  // namespace geckoprof
