// unwind_compare [-n SAMPLES] [-i INTERVAL_US] [-s STEPS] [-v] -- PROGRAM ARGUMENTS...
//
// Runs a program, stops it at irregular times (or, with -s, after every instruction), unwinds each thread by Unwinder
// and by libunwind's remote API from the same registers and stack bytes, and counts what came of it. Exit status 1 if
// any stack differs in a way that is not explained.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/unwind/unwinder.h"
#include "libunwind_walk.h"
#include "traced_program.h"

namespace {

using geckoprof::LibunwindWalk;
using geckoprof::ModuleTable;
using geckoprof::Registers;
using geckoprof::StackSample;
using geckoprof::TracedProgram;
using geckoprof::UnwindEnd;
using geckoprof::Unwinder;
using geckoprof::UnwindResult;
using geckoprof::UnwoundFrame;

struct Options {
  unsigned samples = 1000;
  unsigned interval_us = 1000;
  unsigned steps = 0;
  unsigned skip = 0;
  bool verbose = false;
  std::vector<std::string> program;
};

struct Counts {
  unsigned stacks = 0, frames = 0, fallback_stacks = 0;
  unsigned equal = 0, ours_longer = 0, theirs_longer = 0, different = 0, different_by_fallback = 0;
  unsigned ends[geckoprof::kUnwindEndCount] = {};
  unsigned blocked_equal = 0, blocked = 0;
};

constexpr size_t kFrames = 512;

void Print(const ModuleTable& modules, const char* who, const UnwoundFrame* frames, size_t count) {
  std::printf("  %s, %zu frames\n", who, count);
  for (size_t i = 0; i < count; ++i) {
    const geckoprof::Module* module = modules.Find(frames[i].address);
    std::printf("    %2zu sp %012lx pc %012lx %s+%lx\n", i, frames[i].cfa_or_sp, frames[i].address,
                module == nullptr ? "?" : module->path().c_str(),
                module == nullptr ? 0 : frames[i].address - module->bias());
  }
}

class Comparison {
 public:
  Comparison(const Options& options, const ModuleTable& modules, LibunwindWalk& theirs)
      : options_(options), modules_(modules), unwinder_(modules), theirs_(theirs) {}

  void Add(const StackSample& sample) {
    const UnwindResult result = unwinder_.Unwind(sample.registers, sample.View(), ours_frames_);
    int their_end = 0;
    const size_t their_count = theirs_.Walk(sample, their_frames_, their_end);
    ++counts_.stacks;
    counts_.frames += result.frame_count;
    if (result.fallback_frames != 0) ++counts_.fallback_stacks;
    ++counts_.ends[static_cast<size_t>(result.end)];
    const size_t common = std::min(result.frame_count, their_count);
    size_t same = 0;
    while (same < common && ours_frames_[same].address == their_frames_[same].address &&
           (same == 0 || ours_frames_[same].cfa_or_sp == their_frames_[same].cfa_or_sp)) {
      ++same;
    }
    bool show = options_.verbose;
    if (same == common && result.frame_count == their_count) {
      ++counts_.equal;
      show = false;
    } else if (same == common) {
      ++(result.frame_count > their_count ? counts_.ours_longer : counts_.theirs_longer);
      show &= result.frame_count < their_count || options_.steps != 0;
    } else {
      ++(result.fallback_frames != 0 ? counts_.different_by_fallback : counts_.different);
    }
    if (show && shown_++ < 12) {
      std::printf("ours ends: %s, %u by fall-backs; theirs: %d\n", std::string(ToText(result.end)).c_str(),
                  result.fallback_frames, their_end);
      Print(modules_, "ours", ours_frames_, result.frame_count);
      Print(modules_, "theirs", their_frames_, their_count);
    }
    CompareBlocked(sample, result);
  }

  // What would be seen of the same thread if only pc and sp were known.
  void CompareBlocked(const StackSample& sample, const UnwindResult& full) {
    const auto bare = Registers::FromPcAndSp(sample.registers.pc(), sample.registers.sp());
    static UnwoundFrame frames[kFrames];
    const UnwindResult result = unwinder_.Unwind(bare, sample.View(), frames);
    ++counts_.blocked;
    bool equal = result.frame_count == full.frame_count;
    for (size_t i = 0; equal && i < full.frame_count; ++i) equal = frames[i].address == ours_frames_[i].address;
    if (equal) ++counts_.blocked_equal;
  }

  int Report() const {
    const Counts& c = counts_;
    const auto percent = [&](unsigned n) { return 100.0 * n / std::max(1u, c.stacks); };
    std::printf("stacks %u, frames %u, stacks with fall-back frames %u\n", c.stacks, c.frames, c.fallback_stacks);
    std::printf("equal %u (%.3f %%), ours longer %u, theirs longer %u, different %u, different with fall-backs %u\n",
                c.equal, percent(c.equal), c.ours_longer, c.theirs_longer, c.different, c.different_by_fallback);
    for (unsigned i = 0; i < geckoprof::kUnwindEndCount; ++i) {
      if (c.ends[i] == 0) continue;
      std::printf("  ends \"%s\": %u (%.2f %%)\n", std::string(ToText(static_cast<UnwindEnd>(i))).c_str(), c.ends[i],
                  percent(c.ends[i]));
    }
    std::printf("from pc and sp alone: %u of %u the same\n", c.blocked_equal, c.blocked);
    return c.different == 0 && c.stacks != 0 ? 0 : 1;
  }

 private:
  const Options& options_;
  const ModuleTable& modules_;
  Unwinder unwinder_;
  LibunwindWalk& theirs_;
  Counts counts_;
  unsigned shown_ = 0;
  UnwoundFrame ours_frames_[kFrames];
  UnwoundFrame their_frames_[kFrames];
};

bool ParseOptions(int argc, char** argv, Options& options) {
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string_view option = argv[i];
    if (option == "-v") {
      options.verbose = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const auto value = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    if (option == "-n")
      options.samples = value;
    else if (option == "-i")
      options.interval_us = value;
    else if (option == "-s")
      options.steps = value;
    else if (option == "-k")
      options.skip = value;
    else
      return false;
  }
  for (++i; i < argc; ++i) options.program.emplace_back(argv[i]);
  return !options.program.empty();
}

void CompareSteps(const Options& options, TracedProgram& program, ModuleTable& modules) {
  StackSample sample;
  program.Stop();
  for (unsigned i = 0; i < options.skip && program.SingleStep(modules, sample, i == 0); ++i) {
  }
  LibunwindWalk theirs(program.pid());
  Comparison comparison(options, modules, theirs);
  for (unsigned i = 0; i < options.steps && program.SingleStep(modules, sample, i % 64 == 0); ++i) {
    comparison.Add(sample);
  }
  std::exit(comparison.Report());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ParseOptions(argc, argv, options)) {
    std::fprintf(stderr, "usage: unwind_compare [-n SAMPLES] [-i INTERVAL_US] [-s STEPS] [-v] -- PROGRAM...\n");
    return 2;
  }
  TracedProgram program(options.program);
  ModuleTable modules{geckoprof::ProcessMemory(program.pid())};
  if (options.steps != 0) CompareSteps(options, program, modules);
  std::vector<StackSample> samples;
  std::mt19937 random(20240229);
  std::uniform_int_distribution<unsigned> run_us(options.interval_us / 2, options.interval_us * 3 / 2);
  while (samples.size() < options.samples && program.RunAndSample(run_us(random), modules, samples)) {
  }
  LibunwindWalk theirs(program.pid());
  Comparison comparison(options, modules, theirs);
  for (const StackSample& sample : samples) comparison.Add(sample);
  return comparison.Report();
}
