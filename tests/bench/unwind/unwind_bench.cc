// unwind_bench [-n SAMPLES] -- PROGRAM ARGUMENTS...
//
// ns a frame on stacks taken from a real program: Unwinder cold first (in the order in which the samples were taken,
// from an empty cache and with no unwind data copied) and warm; libunwind's remote API with its global cache, warm, on
// the same stacks; and, in runs of their own in turn, Unwinder and glibc's backtrace() inside the program
// (unwind_probe.so). Prints
//   BAR name | value | bar | met or missed
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "geckoprof/unwind/unwinder.h"
#include "libunwind_walk.h"
#include "traced_program.h"

namespace {

using namespace geckoprof;
constexpr size_t kFrames = 512;
UnwoundFrame g_frames[kFrames];

struct Cost {
  double ns = 0;
  double frames = 0;
  double PerFrame() const { return frames == 0 ? 0 : ns / frames; }
};

// CPU time: what other processes of a busy machine do counts less.
double NowNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Unwind>
Cost Pass(const std::vector<StackSample>& samples, const Unwind& unwind) {
  Cost cost;
  const double begin_ns = NowNs();
  for (const StackSample& sample : samples) cost.frames += static_cast<double>(unwind(sample));
  cost.ns = NowNs() - begin_ns;
  return cost;
}

template <typename Unwind>
double MedianPerFrame(unsigned passes, const std::vector<StackSample>& samples, const Unwind& unwind) {
  std::vector<double> values;
  for (unsigned i = 0; i < passes; ++i) values.push_back(Pass(samples, unwind).PerFrame());
  return Median(values);
}

// From nothing each time: no cache, no mapped tables.
double ColdPerFrame(unsigned passes, pid_t pid, const std::vector<StackSample>& samples) {
  std::vector<double> values;
  const std::string maps = ReadMaps(pid);
  for (unsigned i = 0; i < passes; ++i) {
    ModuleTable modules{ProcessMemory(pid)};
    modules.Refresh(maps, 0);
    const double begin_ns = NowNs();
    Unwinder unwinder(modules);
    const double made_ns = NowNs();
    Cost cost = Pass(samples, [&](const StackSample& sample) {
      return unwinder.Unwind(sample.registers, sample.View(), g_frames).frame_count;
    });
    cost.ns += made_ns - begin_ns;
    values.push_back(cost.PerFrame());
  }
  return Median(values);
}

// What unwinding costs inside the program, cold and warm as it comes: from the probe.
struct InProgram {
  Cost theirs, ours;
  double Ratio() const { return theirs.frames == 0 ? 0 : ours.PerFrame() / theirs.PerFrame(); }
};

Cost RunProbe(const char* who, const std::vector<std::string>& program) {
  Cost sum;
  char path[] = "/tmp/unwind-probe-XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) return sum;
  close(fd);
  const pid_t pid = fork();
  if (pid == 0) {
    setenv("LD_PRELOAD", UNWIND_PROBE, 1);
    setenv("UNWIND_PROBE", who, 1);
    setenv("UNWIND_PROBE_OUT", path, 1);
    (void)!freopen("/dev/null", "w", stdout);
    (void)!freopen("/dev/null", "w", stderr);
    std::vector<char*> argv;
    for (const std::string& argument : program) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  std::ifstream file(path);
  // A line a process: a compiler's driver writes one too.
  for (Cost cost; file >> cost.frames >> cost.ns;) {
    sum.frames += cost.frames;
    sum.ns += cost.ns;
  }
  unlink(path);
  return sum;
}

// What a profiler's first sample costs beside the copy: reading the maps' text, opening modules, unwinding with nothing
// known.
void PrintFirstSample(pid_t pid, const StackSample& sample) {
  const std::string maps = ReadMaps(pid);
  std::vector<double> refresh_us, again_us, unwind_us;
  size_t modules_count = 0;
  for (unsigned i = 0; i < 51; ++i) {
    const double begin_ns = NowNs();
    ModuleTable modules{ProcessMemory(pid)};
    modules.Refresh(maps, 0);
    const double opened_ns = NowNs();
    Unwinder unwinder(modules);
    unwinder.Unwind(sample.registers, sample.View(), g_frames);
    const double unwound_ns = NowNs();
    modules.Refresh(maps, 0);
    again_us.push_back((NowNs() - unwound_ns) / 1000);
    refresh_us.push_back((opened_ns - begin_ns) / 1000);
    unwind_us.push_back((unwound_ns - opened_ns) / 1000);
    modules_count = modules.modules().size();
  }
  std::printf("first sample: %zu modules opened in %.1f us, first stack in %.1f us; nothing changed: %.1f us\n",
              modules_count, Median(refresh_us), Median(unwind_us), Median(again_us));
}

void PrintBar(const char* name, double value, double bar) {
  std::printf("BAR %s | %.4f | %.2f | %s\n", name, value, bar, value <= bar ? "met" : "missed");
}

void Measure(TracedProgram& program, ModuleTable& modules, const std::vector<StackSample>& samples) {
  Unwinder unwinder(modules);
  const auto ours = [&](const StackSample& sample) {
    return unwinder.Unwind(sample.registers, sample.View(), g_frames).frame_count;
  };
  const double cold = ColdPerFrame(7, program.pid(), samples);
  const double warm = MedianPerFrame(11, samples, ours);
  const Cost again = Pass(samples, ours);
  if (std::getenv("UNWIND_BENCH_OURS_ONLY") != nullptr) {  // for a profiler
    std::printf("cold first %.1f, warm %.1f\n", ColdPerFrame(60, program.pid(), samples), warm);
    return;
  }
  LibunwindWalk libunwind(program.pid());
  int ignored = 0;
  const auto theirs = [&](const StackSample& sample) { return libunwind.Walk(sample, g_frames, ignored); };
  Pass(samples, theirs);
  const double their_warm = MedianPerFrame(5, samples, theirs);
  const auto deepest =
      std::max_element(samples.begin(), samples.end(), [&](const auto& a, const auto& b) { return ours(a) < ours(b); });
  const std::vector<StackSample> one(200, *deepest);
  const double one_warm = MedianPerFrame(21, one, ours);
  const double their_one_warm = MedianPerFrame(5, one, theirs);
  std::printf("%zu stacks, %.0f frames, %.1f frames a stack\n", samples.size(), again.frames,
              again.frames / static_cast<double>(samples.size()));
  std::printf("ns a frame: ours cold first %.1f, warm %.1f, one stack again and again %.1f\n", cold, warm, one_warm);
  std::printf("            libunwind remote, global cache, warm %.1f, one stack again and again %.1f\n", their_warm,
              their_one_warm);
  // On many stacks libunwind's own cache overflows and it reads the maps file for each miss; one deep stack is its best
  // case.
  PrintBar("unwind warm vs libunwind remote, all stacks", warm / their_warm, 0.05);
  PrintBar("unwind warm vs libunwind remote, one stack", one_warm / their_one_warm, 0.05);
}

// Medians of several runs; the least and the greatest ratio beside them.
void MeasureInProgram(const std::vector<std::string>& program) {
  constexpr unsigned kRuns = 7;
  std::vector<InProgram> runs;
  for (unsigned i = 0; i < kRuns; ++i) runs.push_back({RunProbe("theirs", program), RunProbe("ours", program)});
  std::sort(runs.begin(), runs.end(), [](const InProgram& a, const InProgram& b) { return a.Ratio() < b.Ratio(); });
  const InProgram& median = runs[runs.size() / 2];
  if (median.theirs.frames == 0) return;
  std::printf(
      "in the program, ns a frame: ours %.1f of %.0f frames, glibc backtrace %.1f of %.0f; ratios %.3f to %.3f\n",
      median.ours.PerFrame(), median.ours.frames, median.theirs.PerFrame(), median.theirs.frames, runs.front().Ratio(),
      runs.back().Ratio());
  PrintBar("unwind cold and warm vs glibc backtrace in the program", median.Ratio(), 0.15);
}

}  // namespace

int main(int argc, char** argv) {
  unsigned wanted = 3000;
  int i = 1;
  if (argc > 2 && std::strcmp(argv[1], "-n") == 0) {
    wanted = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
    i = 3;
  }
  if (i >= argc || std::strcmp(argv[i], "--") != 0 || i + 1 >= argc) {
    std::fprintf(stderr, "usage: unwind_bench [-n SAMPLES] -- PROGRAM ARGUMENTS...\n");
    return 2;
  }
  const std::vector<std::string> arguments(argv + i + 1, argv + argc);
  MeasureInProgram(arguments);
  TracedProgram program(arguments);
  ModuleTable modules{ProcessMemory(program.pid())};
  std::vector<StackSample> samples;
  std::mt19937 random(20240229);
  std::uniform_int_distribution<unsigned> run_us(500, 1500);
  while (samples.size() < wanted && program.RunAndSample(run_us(random), modules, samples)) {
  }
  if (samples.empty()) return 1;
  PrintFirstSample(program.pid(), samples.back());
  Measure(program, modules, samples);
  return 0;
}
