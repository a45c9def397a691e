#include "tools/record/program_family.h"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "geckoprof/segment/session_format.h"
#include "tools/record/late_processes.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// Deeper than anybody nests; the tree may change while it is climbed.
constexpr int kMostGenerations = 1000;

bool DescendsFrom(pid_t process, pid_t ancestor) {
  for (int i = 0; i < kMostGenerations && process > 1; ++i) {
    if (process == ancestor) return true;
    const std::optional<ProcessState> state = ReadProcessState(process);
    if (!state.has_value()) return false;
    process = state->parent;
  }
  return false;
}

}  // namespace

bool ProgramFamily::Has(pid_t process, pid_t program) const {
  if (process <= 0 || process == getpid()) return false;
  if (DescendsFrom(process, program)) return true;
  return !session_.empty() && (IsOfSession(Concat("/proc/", process), session_) || HasLeftData(process));
}

bool ProgramFamily::HasLeftData(pid_t process) const {
  const std::string segment = Concat(process, "-");
  const std::string mark = Concat(kChildPrefix, process, "-");
  std::error_code error;
  std::filesystem::directory_iterator entries(session_, error);
  for (const std::filesystem::directory_iterator end; !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename();
    if (name.starts_with(segment) || name.starts_with(mark)) return true;
  }
  return false;
}

}  // namespace geckoprof
