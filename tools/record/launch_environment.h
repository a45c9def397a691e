#ifndef GECKOPROF_TOOLS_RECORD_LAUNCH_ENVIRONMENT_H_
#define GECKOPROF_TOOLS_RECORD_LAUNCH_ENVIRONMENT_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace geckoprof {

// LaunchEnvironment: the variables that a recorded program starts with: those of the recorder, but for
//   LD_PRELOAD            our library first, then what stood there
//   GECKOPROF_STARTUP..   what the options say; a variable without an option keeps the value it had
//   ASAN_OPTIONS          a shared AddressSanitizer accepts libraries before it. What stood there counts all the same
//   GECKOPROF_EXEC_TIME   filled in by the child itself, right before exec
//
// Threads: one. Lifetime: the pointers that envp() gives live as long as the object, which does not move.
class LaunchEnvironment {
 public:
  // `inherited` ends with a null pointer; null counts as empty.
  explicit LaunchEnvironment(const char* const* inherited);
  LaunchEnvironment(const LaunchEnvironment&) = delete;
  LaunchEnvironment& operator=(const LaunchEnvironment&) = delete;

  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name);
  void PrependPreload(std::string_view library);
  void AllowPreloadBesideSanitizer();

  // Adds room for GECKOPROF_EXEC_TIME and freezes the list.
  char* const* Finish();
  // REQUIRES: Finish was called. Context: the child of a fork: no allocation, no lock.
  void WriteExecTime(pid_t pid, int64_t monotonic_ns);

 private:
  std::string* Find(std::string_view name);
  void PrependToList(std::string_view name, std::string_view value);

  std::vector<std::string> lines_;  // "name=value"
  std::vector<char*> pointers_;
  char* exec_time_ = nullptr;  // behind the "=" in the last line
};

inline constexpr std::string_view kBaseLibrary = "libbaseprofiler.so";
inline constexpr std::string_view kHooksLibrary = "libgeckoprofiler_hooks.so";

// Returns the path of a library that is to be preloaded. It is in ../lib or ../lib/geckoprof, from the
// folder of this program. It is an error if the file is in neither, or if LD_PRELOAD cannot hold the path because of a
// blank or a colon.
absl::StatusOr<std::string> FindLibrary(std::string_view name);

// Does the same for a program in `folder`.
absl::StatusOr<std::string> FindLibraryFrom(const std::string& folder, std::string_view name);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_LAUNCH_ENVIRONMENT_H_
