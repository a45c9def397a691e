#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/convert/format_writers.h"
#include "tools/profile/counted_samples.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string Folded(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

// Numbers of call paths by their functions: rows of the stacks that differ in lines or addresses only have the same
// one, that of the first.
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
