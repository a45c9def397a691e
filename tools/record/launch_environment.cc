#include "tools/record/launch_environment.h"

#include <limits.h>
#include <stdlib.h>

#include <algorithm>

#include "tools/support/own_process.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kExecTime = "GECKOPROF_EXEC_TIME";
constexpr size_t kExecTimeBytes = 48;  // two numbers of up to 20 digits, a colon, a zero

bool IsNamed(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=';
}

// Writes decimal digits and returns the position behind them.
char* WriteDecimal(char* out, uint64_t value) {
  char* const start = out;
  do {
    *out++ = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  std::reverse(start, out);
  return out;
}

}  // namespace

LaunchEnvironment::LaunchEnvironment(const char* const* inherited) {
  for (; inherited != nullptr && *inherited != nullptr; ++inherited) lines_.emplace_back(*inherited);
}

std::string* LaunchEnvironment::Find(std::string_view name) {
  const auto line = std::find_if(lines_.begin(), lines_.end(), [name](const auto& l) { return IsNamed(l, name); });
  return line == lines_.end() ? nullptr : &*line;
}

void LaunchEnvironment::Remove(std::string_view name) {
  std::erase_if(lines_, [name](const std::string& line) { return IsNamed(line, name); });
}

void LaunchEnvironment::Set(std::string_view name, std::string_view value) {
  Remove(name);
  lines_.push_back(Concat(name, "=", value));
}

void LaunchEnvironment::PrependToList(std::string_view name, std::string_view value) {
  std::string* const line = Find(name);
  if (line == nullptr || line->size() == name.size() + 1) return Set(name, value);
  *line = Concat(name, "=", value, ":", line->substr(name.size() + 1));
}

void LaunchEnvironment::PrependPreload(std::string_view library) { PrependToList("LD_PRELOAD", library); }

void LaunchEnvironment::AllowPreloadBesideSanitizer() { PrependToList("ASAN_OPTIONS", "verify_asan_link_order=0"); }

char* const* LaunchEnvironment::Finish() {
  Remove(kExecTime);
  lines_.push_back(Concat(kExecTime, "="));
  lines_.back().resize(kExecTime.size() + 1 + kExecTimeBytes);
  exec_time_ = lines_.back().data() + kExecTime.size() + 1;
  pointers_.clear();
  for (std::string& line : lines_) pointers_.push_back(line.data());
  pointers_.push_back(nullptr);
  return pointers_.data();
}

void LaunchEnvironment::WriteExecTime(pid_t pid, int64_t monotonic_ns) {
  char* out = WriteDecimal(exec_time_, static_cast<uint64_t>(pid));
  *out++ = ':';
  out = WriteDecimal(out, static_cast<uint64_t>(monotonic_ns));
  *out = '\0';
}

absl::StatusOr<std::string> FindLibraryFrom(const std::string& folder, std::string_view name) {
  for (const char* place : {"/../lib/", "/../lib/geckoprof/"}) {
    char resolved[PATH_MAX];
    if (realpath(Concat(folder, place, name).c_str(), resolved) == nullptr) continue;
    std::string path = resolved;
    if (path.find_first_of(" \t\n:$") != std::string::npos) {
      return absl::FailedPreconditionError(Concat(
          path, ": a path with blanks, colons or dollar signs cannot be preloaded; install geckoprof elsewhere"));
    }
    return path;
  }
  return absl::NotFoundError(Concat(name, " is neither in ", folder, "/../lib nor in ", folder,
                                    "/../lib/geckoprof; is the installation complete?"));
}

absl::StatusOr<std::string> FindLibrary(std::string_view name) {
  const absl::StatusOr<std::string> folder = OwnFolder();
  return folder.ok() ? FindLibraryFrom(*folder, name) : folder.status();
}

}  // namespace geckoprof
