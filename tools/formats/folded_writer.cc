#include "tools/formats/folded_writer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

std::string Folded(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

}  // namespace

void WriteFolded(ExportedProfile& profile, FormatOutput* output) {
  const ProfileModel& model = profile.model();
  std::vector<std::string> names;
  names.reserve(model.functions.size());
  for (size_t i = 0; i < model.functions.size(); ++i) {
    names.push_back(Folded(profile.FunctionName(static_cast<int32_t>(i))));
  }
  std::vector<int32_t> path;
  for (const ProfileThread& thread : model.threads) {
    std::string prefix;
    if (model.processes.size() > 1) {
      prefix = Concat(Folded(profile.ProcessName(thread.process)), " ", profile.Pid(thread.process), ";");
    }
    prefix += Folded(profile.ThreadName(thread));
    for (const ExportedProfile::StackSum& sum : profile.SumByStack(thread)) {
      const int64_t count = RoundedWeight(sum.weight);
      if (count <= 0) continue;
      std::string& text = output->buffer();
      text += prefix;
      profile.PathOf(sum.stack, &path);
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
