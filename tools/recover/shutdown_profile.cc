#include "tools/recover/shutdown_profile.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "geckoprof/segment/segment_format.h"
#include "tools/options/command_options.h"
#include "tools/record/profile_making.h"
#include "tools/record/session_contents.h"

namespace geckoprof {
namespace {

int StatusOf(ShutdownStatus status) { return static_cast<int>(status); }

// The number of an open descriptor that a word names.
std::optional<int> Descriptor(std::string_view word) {
  int number = -1;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
  if (result.ec != std::errc() || result.ptr != word.data() + word.size() || fcntl(number, F_GETFD) < 0) {
    return std::nullopt;
  }
  return number;
}

// Removes a segment's file and its folder, if that is empty then, as the process itself would at its end. Not another
// file that has the name by now.
void RemoveSegment(const std::string& path, int descriptor) {
  struct stat named = {}, open = {};
  if (lstat(path.c_str(), &named) != 0 || fstat(descriptor, &open) != 0) return;
  if (named.st_dev != open.st_dev || named.st_ino != open.st_ino) return;
  unlink(path.c_str());
  rmdir(path.substr(0, path.rfind('/')).c_str());
}

}  // namespace

int ShutdownMain(std::span<char* const> args) {
  ProfileRequest request;
  request.quiet = true;
  std::string segment_word, target_word, removed;
  CommandOptions options("recover --shutdown", "Writes the profile of a process that ends.",
                         "libbaseprofiler.so runs this at the end of a process that has GECKOPROF_SHUTDOWN.\n");
  options.Text("-o,--output", &request.output, "FILE", "the profile");
  options.Text("--write-to", &target_word, "DESCRIPTOR", "an open descriptor that leads to FILE");
  options.Text("--remove", &removed, "PATH", "the segment's file, which is removed when the profile is written");
  options.Positional("DESCRIPTOR", &segment_word, "an open descriptor that leads to the segment");
  if (options.Parse(args).has_value()) return StatusOf(ShutdownStatus::kWrongUse);
  const std::optional<int> segment = Descriptor(segment_word);
  if (!segment || request.output.empty()) return StatusOf(ShutdownStatus::kWrongUse);
  if (!target_word.empty()) {
    request.descriptor = Descriptor(target_word);
    if (!request.descriptor) return StatusOf(ShutdownStatus::kWrongUse);
  }
  if (!request.output.ends_with(".json.gz")) request.format = OutputFormat::kGecko;
  signal(SIGPIPE, SIG_IGN);  // a reader that has gone is an error like any other

  SessionContents contents;
  contents.ReadSegment(*segment);
  if (contents.processes.empty()) return StatusOf(ShutdownStatus::kUnreadable);
  contents.Finish();
  if (!MakeProfile(std::move(contents), request).ok()) return StatusOf(ShutdownStatus::kNotWritten);
  if (!removed.empty()) RemoveSegment(removed, *segment);
  return StatusOf(ShutdownStatus::kWritten);
}

}  // namespace geckoprof
