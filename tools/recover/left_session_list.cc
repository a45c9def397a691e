#include "tools/recover/left_session_list.h"

#include <string.h>
#include <time.h>

#include <algorithm>
#include <cstdio>

#include "geckoprof/streaming/program_name.h"
#include "geckoprof/streaming/segment_reader.h"
#include "tools/profile/concat.h"
#include "tools/profile/terminal_text.h"
#include "tools/record/session_contents.h"
#include "tools/recover/left_session.h"

namespace geckoprof {
namespace {

// Of a session of thousands of processes; the first ones say what it is.
constexpr size_t kMostSegmentsRead = 8;

std::string ProgramOf(const LeftSession& session) {
  const std::vector<std::string> command = ReadSessionCommand(session.path);
  if (!command.empty()) return command.front().substr(command.front().rfind('/') + 1);  // npos + 1 is 0
  for (size_t i = 0; i < std::min(session.segments.size(), kMostSegmentsRead); ++i) {
    ProcessProfile process;
    const SegmentReadResult result = ReadSegmentFile(session.segments[i].c_str(), process);
    const bool is_read = result.status == SegmentReadStatus::kOk || result.status == SegmentReadStatus::kDamaged;
    if (is_read && (!process.executable.empty() || !process.arguments.empty()))
      return std::string(ProgramName(process));
  }
  return "?";
}

std::string LocalTime(int64_t seconds) {
  const auto when = static_cast<time_t>(seconds);
  struct tm local = {};
  localtime_r(&when, &local);
  char text[32] = "";
  strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local);
  return text;
}

// With one decimal.
std::string MebibytesText(uint64_t bytes) {
  const uint64_t tenths = bytes * 10 / (uint64_t{1} << 20);
  return Concat(tenths / 10, ".", tenths % 10, " MiB");
}

}  // namespace

int ListLeftSessions(const std::vector<std::string>& parents, bool quiet) {
  const std::vector<LeftSession> sessions = FindLeftSessions(parents);
  for (const LeftSession& session : sessions) {
    printf("%-12s %10s  %s  %s  %s\n", session.in_use ? "in use" : "left behind", MebibytesText(session.bytes).c_str(),
           LocalTime(session.changed_s).c_str(), CleanText(session.path).c_str(),
           CleanText(ProgramOf(session)).c_str());
  }
  if (sessions.empty() && !quiet) fputs("geckoprof recover: no recording has left anything behind\n", stderr);
  return 0;
}

int RemoveLeftSessions(const std::vector<std::string>& parents, bool quiet) {
  int exit_status = 0;
  size_t removed = 0;
  for (const LeftSession& session : FindLeftSessions(parents)) {
    if (session.in_use) continue;
    const int error = session.Remove();
    if (error != 0) {
      fprintf(stderr, "geckoprof recover: %s: %s\n", CleanText(session.path).c_str(), strerror(error));
      exit_status = 1;
      continue;
    }
    ++removed;
    if (!quiet) {
      fprintf(stderr, "geckoprof recover: removed %s (%s)\n", CleanText(session.path).c_str(),
              MebibytesText(session.bytes).c_str());
    }
  }
  if (removed == 0 && exit_status == 0 && !quiet) {
    fputs("geckoprof recover: nothing to remove\n", stderr);
  }
  return exit_status;
}

}  // namespace geckoprof
