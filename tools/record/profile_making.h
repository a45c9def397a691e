// Makes the profile and the closing messages from a session's contents, for `record` and `recover`.
#ifndef GECKOPROF_TOOLS_RECORD_PROFILE_MAKING_H_
#define GECKOPROF_TOOLS_RECORD_PROFILE_MAKING_H_

#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "tools/processed_format/profile_output.h"
#include "tools/record/session_contents.h"

namespace geckoprof {

struct ProfileRequest {
  std::string output;
  std::optional<int> descriptor = std::nullopt;  // the file of `output` if it is open already
  // kIfTaken: `output` is our own choice, so no existing file is replaced. kAlways: there may be several profiles.
  OutputFile::Numbers numbers = OutputFile::Numbers::kNever;
  OutputFormat format = OutputFormat::kProcessed;
  bool quiet = false;
  std::span<char* const> arguments;  // the recorded command line; empty: that of the session or the first process
  std::optional<int> exit_status;
  std::string end = {};                   // of the program, in the shell's words; empty: that of its process
  int64_t program_cpu_ns = -1;            // with the children that it waited for; negative: unknown
  bool has_all_threads = false;           // all threads were asked for, from the start to the end
  int32_t first_pid = 0;                  // the process that comes first; 0: the earliest one
  const HeldFiles* held_files = nullptr;  // opened while the program ran; null: none
  std::string cause = {};                 // of a capture; empty: the whole recording
  bool is_during_run = false;             // the program goes on: neither notes nor progress are shown
};

// Returns a line for each thing that is missing although everything could be read. Lines of several processes that
// differ in numbers only are one line. The profile has all of them.
std::vector<std::string> ProfileNotes(const SessionContents& contents);

// Writes the profile. Prints each warning, the end of the program, and the place of the profile with its numbers of
// samples and processes on stderr. Returns an error if nothing was recorded, with the reason if it is known, or if the
// profile cannot be written.
absl::Status MakeProfile(SessionContents contents, const ProfileRequest& request);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_PROFILE_MAKING_H_
