#include "tools/processed_format/missing_names.h"

#include <algorithm>

#include "geckoprof/reader/profile_facts.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

struct Runtime {
  std::string_view program;  // which the name begins with
  std::string_view remedy;
};

// The options with which runtimes write down their functions for perf.
constexpr Runtime kRuntimes[] = {
    {"node", "Start it with --perf-prof or --perf-basic-prof."},
    {"java", "Start it with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (from Java 17 on)."},
    {"dotnet", "Set DOTNET_PerfMapEnabled=1."},
    {"julia", "Set ENABLE_JITPROFILING=1."},
    {"python", "Start it with -X perf (from Python 3.12 on)."},
    {"ruby", "Start it with --yjit-perf."},
    {"wasmtime", "Start it with --profile=jitdump."},
    {"postgres", "Set jit_profiling_support = on."},
    {"beam", "Start Erlang with +JPperf true."},
};
constexpr std::string_view kAnyRuntime =
    "Its runtime may have an option that makes it write /tmp/perf-PID.map or a jitdump file.";

std::string_view RemedyFor(std::string_view program) {
  for (const Runtime& runtime : kRuntimes) {
    if (program.starts_with(runtime.program)) return runtime.remedy;
  }
  return kAnyRuntime;
}

struct Sum {
  std::string_view largest;
  uint64_t total = 0;
  size_t others = 0;
};

Sum SumOf(const std::map<std::string, uint64_t>& counts) {
  Sum sum;
  uint64_t most = 0;
  for (const auto& [name, count] : counts) {
    sum.total += count;
    if (count > most) sum.largest = name;
    most = std::max(most, count);
  }
  sum.others = counts.empty() ? 0 : counts.size() - 1;
  return sum;
}

std::string AndOthers(size_t others) {
  return others == 0 ? "" : Concat(" and ", others, others == 1 ? " other" : " others");
}

}  // namespace

std::string MissingNames::Note() const {
  constexpr uint64_t kFewest = 20, kSmallShare = 10;  // a tenth
  const Sum made = SumOf(made_code_), library = SumOf(libraries_);
  const auto is_many = [&](uint64_t count) { return count >= kFewest && count * kSmallShare >= samples_; };
  const auto share = [&](uint64_t count) { return Concat((count * 100 + samples_ / 2) / samples_, " %"); };
  std::string note;
  if (is_many(made.total)) {
    note = Concat(share(made.total), " of the samples are in code without names that ", made.largest,
                  AndOthers(made.others), " made at run time. ", RemedyFor(made.largest));
  }
  if (is_many(library.total)) {
    if (!note.empty()) note += ' ';
    note += Concat(share(library.total), " of the samples are in ", PathBaseName(library.largest),
                   AndOthers(library.others),
                   ", whose symbols are not here. Install debug packages, or let `geckoprof symbolicate` ask the "
                   "servers of DEBUGINFOD_URLS.");
  }
  return note;
}

}  // namespace geckoprof
