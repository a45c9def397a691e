#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "geckoprof/segment/segment_format.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/record/profile_making.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/recover/left_session_list.h"
#include "tools/support/output_file.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

int Fail(std::string_view message, int exit_status) {
  fprintf(stderr, "geckoprof recover: %s\n", CleanText(message).c_str());
  return exit_status;
}

// How many things of a recording have been seen.
size_t SeenOf(const SessionContents& contents) {
  return contents.processes.size() + contents.warnings.size() + contents.reasons.size() + contents.command.size() +
         contents.unfinished.size();
}

// Adds what lies in a folder. False: nothing of a recording does, and the line is printed.
bool ReadFolder(const std::string& path, SessionContents& contents) {
  const size_t seen = SeenOf(contents);
  contents.ReadDirectory(path);
  if (SeenOf(contents) > seen) return true;
  std::error_code error;
  const bool is_empty = std::filesystem::is_empty(path, error);
  Fail(Concat(path,
              is_empty ? ": is empty: nothing was recorded into it"
                       : ": is no session directory: nothing in it is of a recording",
              " (recover --list shows what there is)"),
       1);
  return false;
}

// Adds a folder or a file. False: it is neither, and the line is printed.
bool ReadSource(const std::string& path, SessionContents& contents) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    Fail(Concat(path, ": ", strerror(errno)), 1);
    return false;
  }
  if (S_ISDIR(status.st_mode)) {
    return ReadFolder(path, contents);
  } else if (S_ISREG(status.st_mode)) {
    contents.ReadSegment(path);
  } else {
    Fail(Concat(path, ": is neither a session directory nor a segment file"), 1);
    return false;
  }
  return true;
}

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

// geckoprof recover --shutdown, which libbaseprofiler.so runs at the end of a process. It writes the profile of one
// segment, to which an inherited descriptor leads. The process that recorded the segment still lives, and waits.
// args[0] is "--shutdown". Returns the exit status, a ShutdownStatus (segment_format.h).
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

}  // namespace

int RecoverMain(std::span<char* const> args) {
  if (args.size() > 1 && std::string_view(args[1]) == "--shutdown") return ShutdownMain(args.subspan(1));
  ProfileRequest request;
  request.output = "recovered.json.gz";
  std::string format_name = "processed";
  std::vector<std::string> sources;
  bool list = false, remove_stale = false;
  CommandOptions options("recover", "Makes a profile of the segments that a recording left behind.",
                         "Examples:\n  geckoprof recover /dev/shm/geckoprof-a1B2c3 -o crash.json.gz\n"
                         "  geckoprof recover --list\n\n"
                         "The sources are not changed; remove them when the profile is good (--remove-stale).\n");
  options.Text("-o,--output", &request.output, "FILE", "the profile (default recovered.json.gz)");
  options.Text("--format", &format_name, "FORMAT", "processed (symbolicated; the default) or gecko (raw)");
  options.Flag("-q,--quiet", &request.quiet, "no messages but warnings and errors");
  options.Flag("--list", &list, "list what recordings of this user have left, and what is in use, and end");
  options.Flag("--remove-stale", &remove_stale, "remove what --list shows as left behind, and end");
  options.Positionals("DIR|SEGMENT", &sources, "session directories or single segment files", /*required=*/false);
  options.Offer("--output", {ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--format", {ValueHint::Kind::kWords, {"processed", "gecko"}});
  options.OfferOperands({ValueHint::Kind::kFiles});
  if (const std::optional<int> status = options.Parse(args)) return *status;
  if (list || remove_stale) {
    if (list && remove_stale) return Fail("--list and --remove-stale: one at a time", 2);
    if (!sources.empty()) return Fail(Concat(sources.front(), ": --list and --remove-stale take no source"), 2);
    const std::vector<std::string> parents = PrivateFolder::Parents();
    return list ? ListLeftSessions(parents, request.quiet) : RemoveLeftSessions(parents, request.quiet);
  }
  if (sources.empty()) return Fail("DIR|SEGMENT is required (--list shows what there is)", 2);
  if (format_name != "processed" && format_name != "gecko") {
    return Fail(Concat("--format: ", format_name, " is neither gecko nor processed"), 2);
  }
  if (format_name == "gecko") request.format = OutputFormat::kGecko;
  const absl::Status writable = OutputFile::CheckWritable(request.output);
  if (!writable.ok()) return Fail(std::string(writable.message()), 1);

  SessionContents contents;
  for (const std::string& source : sources) {
    if (!ReadSource(source, contents)) return 1;
  }
  contents.Finish();
  const absl::Status made = MakeProfile(std::move(contents), request);
  return made.ok() ? 0 : Fail(std::string(made.message()), 1);
}

}  // namespace geckoprof
