#include "tools/top/live_figures.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// This is more than a page ever shows. A program that makes code all the time must not fill our memory.
constexpr size_t kMostNames = size_t{1} << 20;

std::string TextOf(const ProcessProfile& process, int32_t text) {
  if (text < 0 || static_cast<size_t>(text) >= process.strings.size()) return "";
  return std::string(process.strings[static_cast<size_t>(text)]);
}

const LibraryRow* LibraryOf(const ProcessProfile& process, int32_t library) {
  if (library < 0 || static_cast<size_t>(library) >= process.libraries.size()) return nullptr;
  return &process.libraries[static_cast<size_t>(library)];
}

}  // namespace

const std::vector<FrameNames::Name>& FrameNames::Of(const ProcessProfile& process, const FrameRow& frame,
                                                    bool is_caller) {
  if (names_.size() >= kMostNames) names_.clear();
  const uint64_t address = frame.address - (is_caller ? 1 : 0);
  const LibraryRow* const library = LibraryOf(process, frame.library);
  std::pair<std::string, uint64_t> key;
  if (frame.kind != FrameKind::kInstruction) {
    key.first = Concat("\n", TextOf(process, frame.text));  // no path begins so
  } else if (library != nullptr) {
    key = {library->path, address - library->bias};
  } else {
    key = {Concat(process.pid), address};
  }
  const auto [row, added] = names_.try_emplace(std::move(key));
  if (added) row->second = Find(process, frame, address);
  return row->second;
}

std::vector<FrameNames::Name> FrameNames::Find(const ProcessProfile& process, const FrameRow& frame, uint64_t address) {
  if (frame.kind == FrameKind::kRoot) return {{"(root)", ""}};
  if (frame.kind != FrameKind::kInstruction) return {{TextOf(process, frame.text), ""}};
  const LibraryRow* const library = LibraryOf(process, frame.library);
  if (library == nullptr) return {{Concat("0x", HexText(frame.address)), ""}};
  const std::string file = library->path.substr(library->path.rfind('/') + 1);
  const AddressSymbols* const found = symbolizer_.Find(library->path, library->build_id, address - library->bias);
  std::vector<Name> names;
  if (found != nullptr) {
    for (const SymbolFrame& function : found->frames) names.push_back({std::string(function.name), file});
  }
  if (names.empty()) names.push_back({Concat(file, "+0x", HexText(address - library->start_avma)), file});
  return names;
}

namespace {

// When a marker was added, or what is known of it.
int64_t TimeOf(const MarkerRow& marker) {
  return marker.phase == MarkerPhase::kInterval || marker.phase == MarkerPhase::kIntervalEnd ? marker.end_ns
                                                                                             : marker.start_ns;
}

class FunctionSums {
 public:
  explicit FunctionSums(FrameNames& names) : names_(names) {}

  void Add(const ProcessProfile& process, int32_t stack) {
    ++round_;
    bool is_caller = false;
    // A prefix is always smaller than its row; what says otherwise ends the walk.
    for (int32_t row = stack; row >= 0 && static_cast<size_t>(row) < process.stacks.size();) {
      const StackRow& stack_row = process.stacks[static_cast<size_t>(row)];
      if (stack_row.frame < 0 || static_cast<size_t>(stack_row.frame) >= process.frames.size()) break;
      const FrameRow& frame = process.frames[static_cast<size_t>(stack_row.frame)];
      if (frame.kind != FrameKind::kRoot) {
        // Each inlined function is a function of its own, as in a profile. The innermost one comes first here.
        const std::vector<FrameNames::Name>& names = names_.Of(process, frame, is_caller);
        for (size_t i = names.size(); i-- > 0;) {
          Sum& sum = sums_[names[i]];
          if (!std::exchange(is_caller, true)) ++sum.self;
          if (std::exchange(sum.round, round_) != round_) ++sum.total;
        }
      }
      if (stack_row.prefix >= row) break;
      row = stack_row.prefix;
    }
  }

  std::vector<LiveFigures::Function> Sorted() const {
    std::vector<LiveFigures::Function> functions;
    for (const auto& [name, sum] : sums_) functions.push_back({name, sum.self, sum.total});
    std::sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
      return std::tie(b.self, b.total, a.name.function) < std::tie(a.self, a.total, b.name.function);
    });
    return functions;
  }

 private:
  struct Sum {
    uint64_t self = 0, total = 0, round = 0;
  };
  FrameNames& names_;
  uint64_t round_ = 0;
  absl::flat_hash_map<FrameNames::Name, Sum> sums_;
};

}  // namespace

LiveFigures LiveFigures::Of(const std::vector<ProcessProfile>& processes, int64_t from_ns, int64_t to_ns,
                            FrameNames& names) {
  LiveFigures figures;
  figures.from_ns = from_ns;
  figures.to_ns = to_ns;
  figures.processes = processes.size();
  FunctionSums sums(names);
  const auto is_in = [from_ns, to_ns](int64_t time_ns) { return time_ns >= from_ns && time_ns < to_ns; };
  for (const ProcessProfile& process : processes) {
    for (const ThreadRow& row : process.threads) {
      Thread thread{process.pid, row.tid, row.name, std::string(ProgramName(process)), 0, 0, 0};
      for (const SampleRow& sample : row.samples) {
        if (!is_in(sample.time_ns)) continue;
        thread.cpu_ns += std::max<int64_t>(sample.cpu_delta_ns, 0);
        if (!IsSample(sample)) continue;
        ++thread.samples;
        sums.Add(process, sample.stack);
      }
      for (const MarkerRow& marker : row.markers) thread.markers += is_in(TimeOf(marker)) ? 1 : 0;
      figures.samples += thread.samples;
      figures.markers += thread.markers;
      figures.cpu_ns += thread.cpu_ns;
      const bool is_shown = thread.samples > 0 || thread.markers > 0;
      figures.all_threads += row.unregistered_ns == 0 || is_shown ? 1 : 0;
      if (is_shown) figures.threads.push_back(std::move(thread));
    }
    for (const LossRow& loss : process.losses) figures.losses[loss.what] += loss.count;
  }
  std::stable_sort(figures.threads.begin(), figures.threads.end(), [](const Thread& a, const Thread& b) {
    return std::tie(a.cpu_ns, a.samples) > std::tie(b.cpu_ns, b.samples);
  });
  figures.functions = sums.Sorted();
  return figures;
}

int64_t LastTimeNs(const std::vector<ProcessProfile>& processes) {
  int64_t last_ns = 0;
  for (const ProcessProfile& process : processes) {
    for (const ThreadRow& thread : process.threads) {
      if (!thread.samples.empty()) last_ns = std::max(last_ns, thread.samples.back().time_ns);
      int64_t last_marker_ns = 0;
      for (const MarkerRow& marker : thread.markers) last_marker_ns = TimeOf(marker);
      last_ns = std::max(last_ns, last_marker_ns);
    }
  }
  return last_ns;
}

}  // namespace geckoprof
