#include "tools/ctl/recording_settings.h"

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/record/session_directory.h"
#include "tools/recover/left_session_list.h"
#include "tools/support/private_folder.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// Returns true if the segment is in a folder that `geckoprof record` has made.
bool IsInSession(const RunningSegment& segment) {
  std::string_view folder = segment.path;
  folder = folder.substr(0, folder.rfind('/'));
  return PrivateFolder::IsName(folder.substr(folder.rfind('/') + 1), SessionDirectory::kPrefix);
}

absl::Status CheckCapacity(const ControllableProcess& process, const RunningSegment& segment, uint64_t wanted_bytes) {
  const uint64_t present_bytes = segment.view->header().capacity_bytes;
  if (IsInSession(segment)) {
    return absl::FailedPreconditionError(
        Concat(process.title(), " belongs to a session, whose recorder holds the limit: --capacity cannot change it"));
  }
  if (wanted_bytes < present_bytes) {
    return absl::FailedPreconditionError(Concat(process.title(), " has a capacity of ", MebibytesText(present_bytes),
                                                ", which cannot become smaller while it is recorded"));
  }
  return absl::OkStatus();
}

uint64_t RoomBytes(const RunningSegment& segment) {
  const SegmentHeader& header = segment.view->header();
  return uint64_t{header.chunk_count.load(std::memory_order_relaxed)} * header.chunk_bytes;
}

void WarnOfCapacity(const ControllableProcess& process, uint64_t wanted_bytes) {
  const absl::StatusOr<RunningSegment> segment = FindRunningSegment(process);
  if (!segment.ok()) return;
  const uint64_t room_bytes = RoomBytes(*segment);
  if (room_bytes + segment->view->header().chunk_bytes > wanted_bytes) return;
  fprintf(stderr, "geckoprof ctl: %s has room for %s alone (a full file system, or a limit)\n",
          CleanText(process.title()).c_str(), MebibytesText(room_bytes).c_str());
}

}  // namespace

std::string FaultOfChange(const StartOptions& options) {
  if (!options.clock.empty()) return "--clock: it cannot change while a recording runs";
  if (options.no_arguments) return "--no-arguments: they are recorded already";
  if (options.Variables().empty())
    return "give --interval, --max-overhead, --features, --threads, --duration or --capacity";
  return "";
}

absl::Status ChangeSettings(const ControllableProcess& process, const RunningSegment& segment,
                            const StartOptions& options) {
  if (options.capacity_given) {
    if (absl::Status may = CheckCapacity(process, segment, options.capacity_bytes); !may.ok()) return may;
  }
  if (absl::Status done = Obey(process, ControlCommand::kSet, options.Settings({})); !done.ok()) return done;
  if (options.capacity_given) WarnOfCapacity(process, options.capacity_bytes);
  return absl::OkStatus();
}

}  // namespace geckoprof
