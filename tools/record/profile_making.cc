#include "tools/record/profile_making.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "tools/convert/recorded_session.h"
#include "tools/profile/concat.h"
#include "tools/support/progress_line.h"

namespace geckoprof {
namespace {

constexpr size_t kMaxWarnings = 10;  // printed; a session of thousands of processes must not flood the terminal

void PrintWarnings(const SessionContents& contents) {
  const size_t shown = std::min(contents.warnings.size(), kMaxWarnings);
  for (size_t i = 0; i < shown; ++i) fprintf(stderr, "geckoprof: warning: %s\n", contents.warnings[i].c_str());
  const size_t hidden = contents.warnings.size() - shown;
  if (hidden != 0) fprintf(stderr, "geckoprof: warning: %zu more files could not be read\n", hidden);
}

absl::Status NothingRecorded(const SessionContents& contents) {
  if (!contents.reasons.empty()) {
    const size_t shown = std::min<size_t>(contents.reasons.size(), 3);
    return absl::NotFoundError(Concat("nothing was recorded: ",
                                      absl::StrJoin(contents.reasons.begin(), contents.reasons.begin() + shown, "; ")));
  }
  if (!contents.warnings.empty()) return absl::NotFoundError("nothing was recorded that can be read");
  return absl::NotFoundError(
      "nothing was recorded: no process started the profiler. Did the program drop LD_PRELOAD or the GECKOPROF_ "
      "variables "
      "before its real work, hand over to a statically linked or privileged program, or filter its system calls?");
}

RecordedSession ToSession(SessionContents contents, const ProfileRequest& request) {
  RecordedSession session;
  if (!contents.warnings.empty()) session.losses.push_back({"unreadable-segment", contents.warnings.size()});
  if (contents.unfinished != 0) session.losses.push_back({"unfinished-segment", contents.unfinished});
  if (!contents.reasons.empty()) session.losses.push_back({"process-without-segment", contents.reasons.size()});
  session.processes = std::move(contents.processes);
  std::stable_partition(session.processes.begin(), session.processes.end(),
                        [&](const ProcessProfile& process) { return process.pid == request.first_pid; });
  for (const char* argument : request.arguments) session.arguments.emplace_back(argument);
  if (!session.arguments.empty()) {
    const std::string& program = session.arguments.front();
    session.product = program.substr(program.rfind('/') + 1);
  }
  session.exit_status = request.exit_status.value_or(0);
  session.exit_status_known = request.exit_status.has_value();
  return session;
}

}  // namespace

absl::Status MakeProfile(SessionContents contents, const ProfileRequest& request) {
  PrintWarnings(contents);
  if (contents.processes.empty()) return NothingRecorded(contents);
  const uint64_t samples = contents.SampleCount();
  std::set<int32_t> pids;
  for (const ProcessProfile& process : contents.processes) pids.insert(process.pid);
  const RecordedSession session = ToSession(std::move(contents), request);
  {
    ProgressLine progress(STDERR_FILENO);
    const absl::Status written =
        WriteProfile(session, request.format, request.output, request.quiet ? nullptr : &progress);
    if (!written.ok()) return written;
  }
  if (!request.quiet) {
    fprintf(stderr, "geckoprof: profile written to %s (%llu samples, %zu %s)\n", request.output.c_str(),
            static_cast<unsigned long long>(samples), pids.size(), pids.size() == 1 ? "process" : "processes");
  }
  return absl::OkStatus();
}

}  // namespace geckoprof
