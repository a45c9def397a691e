// Folded stacks, read and written.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/convert/format_loaders.h"
#include "tools/convert/format_writers.h"
#include "tools/convert/imported_model.h"
#include "tools/profile/counted_samples.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr double kMaxFoldedWeight = 1e15;  // sums of millions stay exact enough
constexpr double kMaxTimeLineMs = 1e7;     // three hours: more weight than that is drawn to scale

struct FoldedLine {
  std::string_view stack;
  double count = 0;  // may be infinite
};

bool IsEmptyOrHeading(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with("# ");
}

std::optional<FoldedLine> ParseLine(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  const size_t space = line.rfind(' ');
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  const std::string_view text = line.substr(space + 1);
  std::optional<double> count = WholeNumber(text);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) {
    count = count.value_or(std::numeric_limits<double>::infinity());  // of hundreds of digits
  }
  if (!count.has_value() || *count < 0) return std::nullopt;
  return FoldedLine{line.substr(0, space), *count};
}

// Whether every line has two counts, as of two profiles: "a;b;c 17 19". A name may end in a number, too.
bool HasTwoCounts(std::string_view text) {
  if (text.find(';') == std::string_view::npos) return false;  // "worker 1 17"
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (IsEmptyOrHeading(line)) continue;
    const std::optional<FoldedLine> folded = ParseLine(line);
    if (!folded.has_value() || !ParseLine(folded->stack).has_value()) return false;
  }
  return true;
}

int32_t AddStack(std::string_view stack, ModelBuilder* builder) {
  int32_t row = kNoRow;
  for (bool more = true; more && !builder->IsTooLarge();) {
    const size_t end = stack.find(';');
    more = end != std::string_view::npos;
    const std::string_view name = stack.substr(0, end);
    ProfileFrame frame;
    frame.function = builder->Function(name.empty() ? "(no name)" : name, "");
    // flamegraph.pl's own mark for the kernel's.
    const bool is_kernel = name.ends_with("_[k]");
    frame.category = static_cast<int32_t>(is_kernel ? ImportedCategory::kKernel : ImportedCategory::kUser);
    row = builder->AddModelStack(row, builder->FrameRow(frame));
    if (more) stack.remove_prefix(end + 1);
  }
  return row;
}

}  // namespace

bool LooksFolded(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (!IsEmptyOrHeading(line)) return ParseLine(line).has_value();
  }
  return false;
}

absl::StatusOr<ProfileModel> LoadFolded(std::string_view text) {
  ProfileModel model = EmptyImport("folded stacks");
  ModelBuilder builder(&model, ProfileDetail::kFull, text.size(), ModelBuilder::kLinesRatio);
  ProfileThread thread;
  thread.name = "stacks";
  thread.tid = 1;
  double weights = 0;
  const bool has_two_counts = HasTwoCounts(text);
  for (size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = TakeLine(&text);
    if (IsEmptyOrHeading(line)) continue;
    std::optional<FoldedLine> folded = ParseLine(line);
    if (!folded.has_value()) {
      return absl::InvalidArgumentError(Concat("line ", number, ": is no folded stack, \"a;b;c 17\""));
    }
    if (folded->count > kMaxFoldedWeight)
      return absl::InvalidArgumentError(Concat("line ", number, ": the count is too large"));
    if (has_two_counts) folded->stack = ParseLine(folded->stack)->stack;
    if (folded->count == 0) continue;
    ProfileSample sample;
    sample.time_ms = weights;
    sample.weight = folded->count;
    sample.stack = AddStack(folded->stack, &builder);
    builder.AddSample(sample, &thread);
    weights += folded->count;
    if (absl::Status status = builder.CountRows(1, sizeof sample); !status.ok()) return status;
  }
  if (weights > kMaxTimeLineMs) {
    for (ProfileSample& sample : thread.samples) sample.time_ms *= kMaxTimeLineMs / weights;
  }
  model.processes.push_back({"1", "folded stacks", 0});
  model.threads.push_back(std::move(thread));
  if (absl::Status status = FinishImport(&model); !status.ok()) return status;
  return model;
}

namespace {

std::string Folded(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

// Returns the numbers of call paths by their functions. Stacks that differ in lines or addresses alone have the number
// of the first one.
std::vector<int32_t> PathsByFunction(const ProfileModel& model) {
  std::vector<int32_t> paths;
  paths.reserve(model.stacks.size());
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> known;  // caller's path, function
  for (size_t i = 0; i < model.stacks.size(); ++i) {
    const ProfileStack& stack = model.stacks[i];
    const int32_t caller = stack.prefix == kNoRow ? kNoRow : paths[static_cast<size_t>(stack.prefix)];
    paths.push_back(known.try_emplace({caller, stack.function}, static_cast<int32_t>(i)).first->second);
  }
  return paths;
}

}  // namespace

void WriteFolded(ExportedProfile& profile, FormatOutput* output) {
  const ProfileModel& model = profile.model();
  std::vector<std::string> names;
  names.reserve(model.functions.size());
  for (size_t i = 0; i < model.functions.size(); ++i) {
    names.push_back(Folded(profile.FunctionName(static_cast<int32_t>(i))));
  }
  const std::vector<int32_t> paths = PathsByFunction(model);
  absl::flat_hash_map<int32_t, double> weights;  // of a thread, by path
  std::vector<int32_t> path, order;
  WholeCounts counts;
  for (const ProfileThread& thread : model.threads) {
    if (!profile.IsMain(thread)) continue;
    std::string prefix;
    if (model.processes.size() > 1) {
      prefix = Concat(Folded(profile.ProcessName(thread.process)), " ", profile.Pid(thread.process), ";");
    }
    prefix += Folded(profile.ThreadName(thread));
    weights.clear();
    order.clear();
    for (const ExportedProfile::StackSum& sum : profile.SumByStack(thread)) {
      const int32_t path_number = paths[static_cast<size_t>(sum.stack)];
      const auto [entry, added] = weights.try_emplace(path_number, 0);
      if (added) order.push_back(path_number);
      entry->second += sum.weight;
    }
    for (const int32_t stack : order) {
      const int64_t count = counts.Next(weights[stack]);
      if (count <= 0) continue;
      std::string& text = output->buffer();
      text += prefix;
      profile.PathOf(stack, &path);
      for (const int32_t row : path) {
        text += ';';
        text += names[static_cast<size_t>(model.stacks[static_cast<size_t>(row)].function)];
      }
      text += Concat(" ", count, "\n");
      output->FlushIfLarge();
    }
  }
}

}  // namespace geckoprof
