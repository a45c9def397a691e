#include "tools/symbols/source_paths.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

bool HasType(const std::string& path, mode_t type) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == type;
}

std::string_view WithoutEndingSlash(std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  return folder;
}

// A name of debug information must not lead out of the folder.
bool LeadsUp(std::string_view name) {
  return name == ".." || name.starts_with("../") || name.ends_with("/..") ||
         name.find("/../") != std::string_view::npos;
}

}  // namespace

absl::Status SourcePaths::Add(const std::vector<std::string>& folders, const std::vector<std::string>& rules) {
  for (const std::string& folder : folders) {
    if (!HasType(folder, S_IFDIR)) return absl::InvalidArgumentError(Concat("--source-dir: ", folder, " is no folder"));
    // A profile is read in other folders, too.
    std::error_code failed;
    const std::string absolute = std::filesystem::absolute(folder, failed).lexically_normal().string();
    folders_.emplace_back(WithoutEndingSlash(failed ? folder : absolute));
  }
  for (const std::string& rule : rules) {
    if (absl::Status status = AddMap(rule); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status SourcePaths::AddMap(std::string_view rule) {
  const size_t equals = rule.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == rule.size()) {
    return absl::InvalidArgumentError(Concat("--source-map: \"", rule, "\" is not FROM=TO"));
  }
  maps_.emplace_back(WithoutEndingSlash(rule.substr(0, equals)), WithoutEndingSlash(rule.substr(equals + 1)));
  return absl::OkStatus();
}

const std::string& SourcePaths::Find(std::string_view name) {
  const auto [entry, is_new] = known_.try_emplace(std::string(name));
  if (is_new) entry->second = Located(Mapped(name));
  return entry->second;
}

std::string SourcePaths::Mapped(std::string_view name) const {
  const std::pair<std::string, std::string>* best = nullptr;
  for (const auto& map : maps_) {
    const std::string& from = map.first;
    const bool fits =
        name.starts_with(from) && (name.size() == from.size() || from.ends_with('/') || name[from.size()] == '/');
    if (fits && (best == nullptr || from.size() > best->first.size())) best = &map;
  }
  if (best == nullptr) return std::string(name);
  std::string_view rest = name.substr(best->first.size());
  while (rest.starts_with('/')) rest.remove_prefix(1);
  return rest.empty() ? best->second : Concat(best->second, "/", rest);
}

std::string SourcePaths::Located(const std::string& mapped) const {
  if (folders_.empty() || LeadsUp(mapped) || HasType(mapped, S_IFREG)) return mapped;
  // The more of the name is found, the better.
  for (std::string_view rest = mapped; !rest.empty();) {
    while (rest.starts_with('/')) rest.remove_prefix(1);
    for (const std::string& folder : folders_) {
      std::string path = Concat(folder, "/", rest);
      if (!rest.empty() && HasType(path, S_IFREG)) return path;
    }
    const size_t slash = rest.find('/');
    rest.remove_prefix(slash != std::string_view::npos ? slash : rest.size());
  }
  return mapped;
}

}  // namespace geckoprof
