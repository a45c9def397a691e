// From a session's contents to the profile and the closing messages: what record and recover have in common.
#ifndef GECKOPROF_TOOLS_RECORD_PROFILE_MAKING_H_
#define GECKOPROF_TOOLS_RECORD_PROFILE_MAKING_H_

#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "tools/convert/profile_output.h"
#include "tools/record/session_contents.h"

namespace geckoprof {

struct ProfileRequest {
  std::string output;
  std::optional<int> descriptor = std::nullopt;  // what `output` leads to is open already
  bool number_if_taken = false;                  // `output` is a name of our own choice: nobody else's file is replaced
  OutputFormat format = OutputFormat::kProcessed;
  bool quiet = false;
  std::span<char* const> arguments;  // the recorded command line; empty: as the session says, or the first process
  std::optional<int> exit_status;
  int64_t program_cpu_ns = -1;            // with the children that it waited for; negative: not known
  bool has_all_threads = false;           // all were asked for, from the start to the end
  int32_t first_pid = 0;                  // whose process comes first; 0: the earliest
  const HeldFiles* held_files = nullptr;  // opened while the program ran; null: none
};

// What is missing although everything could be read, a line each; what several programs of one process have to say
// alike is said once. It is in the profile too.
std::vector<std::string> ProfileNotes(const SessionContents& contents);

// Writes the profile and prints, on stderr: each warning, and where the profile is with the numbers of samples and
// processes. An error if nothing was recorded (it says why as far as is known) or if the profile cannot be written.
absl::Status MakeProfile(SessionContents contents, const ProfileRequest& request);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROFILE_MAKING_H_
