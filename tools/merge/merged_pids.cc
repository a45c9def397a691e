#include "tools/merge/merged_pids.h"

#include <cstdint>

#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"

namespace geckoprof {

void MergedPids::StartProfile(std::span<const std::string> pids) {
  own_.clear();
  taken_before_ = taken_;
  std::vector<std::string> clashes;
  for (const std::string& pid : pids) {
    std::string process = SystemPid(pid);
    if (own_.contains(process)) continue;
    if (taken_before_.contains(process)) clashes.push_back(process);
    taken_.insert(process);
    own_.emplace(process, process);
  }
  for (const std::string& process : clashes) {
    const std::string_view number = std::string_view(process).substr(0, process.find('@'));
    std::string name;
    uint64_t space = 0;
    do {
      name = Concat(number, "@", ++space);
    } while (taken_.contains(name));
    taken_.insert(name);
    own_[process] = name;
  }
}

std::string MergedPids::Of(std::string_view pid) const {
  const std::string process = SystemPid(pid);
  const auto found = own_.find(process);
  return found == own_.end() ? std::string(pid) : Concat(found->second, pid.substr(process.size()));
}

bool MergedPids::Has(std::string_view pid) const { return own_.contains(SystemPid(pid)); }

bool MergedPids::IsTaken(std::string_view pid) const { return taken_before_.contains(SystemPid(pid)); }

}  // namespace geckoprof
