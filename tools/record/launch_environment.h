#ifndef GECKOPROF_TOOLS_RECORD_LAUNCH_ENVIRONMENT_H_
#define GECKOPROF_TOOLS_RECORD_LAUNCH_ENVIRONMENT_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// LaunchEnvironment: the variables that a recorded program starts with: those of the recorder, but for
//   LD_PRELOAD            our library first, then what stood there
//   GECKOPROF_STARTUP..   what the options say; a variable without an option keeps the value it had
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

  // Adds room for GECKOPROF_EXEC_TIME and freezes the list.
  char* const* Finish();
  // REQUIRES: Finish was called. Context: the child of a fork: no allocation, no lock.
  void WriteExecTime(pid_t pid, int64_t monotonic_ns);

 private:
  std::string* Find(std::string_view name);

  std::vector<std::string> lines_;  // "name=value"
  std::vector<char*> pointers_;
  char* exec_time_ = nullptr;  // behind the "=" in the last line
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_LAUNCH_ENVIRONMENT_H_
