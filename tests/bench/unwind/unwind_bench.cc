// unwind_bench [-n SAMPLES] -- PROGRAM ARGUMENTS...
//
// ns a frame on stacks taken from a real program: Unwinder warm, and libunwind's remote API with its global cache on
// the same stacks; Unwinder cold first, in the order in which the samples were taken, from an empty cache, with no
// unwind data copied, and with each stack copied right before, as a sampled thread does it; and, in runs of their own
// in turn, Unwinder and glibc's backtrace() inside the program (unwind_probe.so). Prints
//   BAR name | value | bar | met or missed
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
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

// For short stretches: reading the clock above takes as long as they do.
double ElapsedNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Samples, typename Unwind>
Cost Pass(const Samples& samples, const Unwind& unwind) {
  Cost cost;
  const double begin_ns = NowNs();
  for (const StackSample& sample : samples) cost.frames += static_cast<double>(unwind(sample));
  cost.ns = NowNs() - begin_ns;
  return cost;
}

template <typename Samples, typename Unwind>
double MedianPerFrame(unsigned passes, const Samples& samples, const Unwind& unwind) {
  std::vector<double> values;
  for (unsigned i = 0; i < passes; ++i) values.push_back(Pass(samples, unwind).PerFrame());
  return Median(values);
}

// From nothing: no cache, no mapped tables. The copies cost nothing here: the sampled thread makes them.
double ColdPerFrame(pid_t pid, const std::string& maps, const std::vector<StackSample>& samples) {
  static std::vector<uint8_t> copy;
  ModuleTable modules{ProcessMemory(pid)};
  modules.Refresh(maps, 0);
  Cost cost;
  double begin_ns = ElapsedNs();
  Unwinder unwinder(modules);
  cost.ns = ElapsedNs() - begin_ns;
  for (const StackSample& sample : samples) {
    copy.assign(sample.bytes.begin(), sample.bytes.end());
    begin_ns = ElapsedNs();
    const StackView view{copy.data(), sample.base_avma, copy.size()};
    cost.frames += static_cast<double>(unwinder.Unwind(sample.registers, view, g_frames).frame_count);
    cost.ns += ElapsedNs() - begin_ns;
  }
  return cost.PerFrame();
}

// What unwinding costs inside the program, cold and warm as it comes: from the probe.
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

void MeasureWarm(TracedProgram& program, ModuleTable& modules, const std::vector<StackSample>& samples) {
  Unwinder unwinder(modules);
  const auto ours = [&](const StackSample& sample) {
    return unwinder.Unwind(sample.registers, sample.View(), g_frames).frame_count;
  };
  const double warm = MedianPerFrame(11, samples, ours);
  const Cost again = Pass(samples, ours);
  LibunwindWalk libunwind(program.pid());
  int ignored = 0;
  const auto theirs = [&](const StackSample& sample) { return libunwind.Walk(sample, g_frames, ignored); };
  Pass(samples, theirs);
  const double their_warm = MedianPerFrame(5, samples, theirs);
  const auto deepest =
      std::max_element(samples.begin(), samples.end(), [&](const auto& a, const auto& b) { return ours(a) < ours(b); });
  // One copy, as the sampler's buffer is one: 200 copies of 64 KiB would measure the memory.
  const std::vector<std::reference_wrapper<const StackSample>> one(200, *deepest);
  const double one_warm = MedianPerFrame(21, one, ours);
  const double their_one_warm = MedianPerFrame(5, one, theirs);
  std::printf("%zu stacks, %.0f frames, %.1f frames a stack\n", samples.size(), again.frames,
              again.frames / static_cast<double>(samples.size()));
  std::printf("ns a frame: ours warm %.1f, one stack again and again %.1f\n", warm, one_warm);
  std::printf("            libunwind remote, global cache, warm %.1f, one stack again and again %.1f\n", their_warm,
              their_one_warm);
  // On many stacks libunwind's own cache overflows and it reads the maps file for each miss; one deep stack is its best
  // case.
  PrintBar("unwind warm vs libunwind remote, all stacks", warm / their_warm, 0.05);
  PrintBar("unwind warm vs libunwind remote, one stack", one_warm / their_one_warm, 0.05);
}

// Cold first, on stored stacks and in the program, each beside glibc in the program: there is no other place for it.
// Medians of several rounds; the least and the greatest ratio beside them.
void MeasureCold(const std::vector<std::string>& program, pid_t pid, const std::vector<StackSample>& samples) {
  constexpr unsigned kRounds = 7;
  const std::string maps = ReadMaps(pid);
  std::vector<double> theirs, ours, stored, ours_ratio, stored_ratio;
  for (unsigned i = 0; i < kRounds; ++i) {
    theirs.push_back(RunProbe("theirs", program).PerFrame());
    ours.push_back(RunProbe("ours", program).PerFrame());
    stored.push_back(ColdPerFrame(pid, maps, samples));
    if (theirs.back() == 0) return;
    ours_ratio.push_back(ours.back() / theirs.back());
    stored_ratio.push_back(stored.back() / theirs.back());
  }
  std::printf("cold first, ns a frame: stored stacks %.1f, in the program %.1f, glibc backtrace in the program %.1f\n",
              Median(stored), Median(ours), Median(theirs));
  const auto print = [](const char* name, const std::vector<double>& ratios) {
    PrintBar(name, Median(ratios), 0.15);
    std::printf("  rounds %.3f to %.3f\n", *std::min_element(ratios.begin(), ratios.end()),
                *std::max_element(ratios.begin(), ratios.end()));
  };
  print("unwind stored stacks, cold first, vs glibc backtrace", stored_ratio);
  print("unwind in the program, cold first, vs glibc backtrace", ours_ratio);
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);  // nothing is pending when a child is made
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
  TracedProgram program(arguments);
  ModuleTable modules{ProcessMemory(program.pid())};
  std::vector<StackSample> samples;
  std::mt19937 random(20240229);
  std::uniform_int_distribution<unsigned> run_us(500, 1500);
  while (samples.size() < wanted && program.RunAndSample(run_us(random), modules, samples)) {
  }
  if (samples.empty()) return 1;
  PrintFirstSample(program.pid(), samples.back());
  MeasureWarm(program, modules, samples);
  MeasureCold(arguments, program.pid(), samples);
  return 0;
}
