#include "shutdown/shutdown_writer.h"

#include <errno.h>

#include <new>

#include "geckoprof/base/file_place.h"
#include "geckoprof/base/output_target.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/segment/segment_copy.h"
#include "geckoprof/segment/segment_format.h"
#include "shutdown/shutdown_command.h"

namespace geckoprof {
namespace {

constexpr int64_t kPatienceNs = 2 * kNsPerSecond;  // with a reader of the copy

// This is too large for a small stack, and exit may have been called on one.
struct Work {
  explicit Work(const ShutdownRequest& wanted) : request(wanted) {}
  const ShutdownRequest& request;
  bool has_copy = false;
  char file[StartParameters::kPathBytes];
  char copy[StartParameters::kPathBytes + sizeof(kSegmentSuffix)];
  FilePlace place;
  OutputTarget target{kPatienceNs};
};

void Note(const Segment& segment, const ShutdownOutcome& outcome) {
  segment.header().shutdown_detail.store(outcome.detail, std::memory_order_relaxed);
  segment.header().shutdown_failure.store(static_cast<uint32_t>(outcome.failure), std::memory_order_relaxed);
}

// Returns 0, or what errno(3) says of it.
int WriteCopy(Work& work) {
  if (const int error = work.place.Find(work.file); error != 0) return error;
  if (work.place.way != FilePlace::Way::kReplace) return EINVAL;  // a copy beside a device or a FIFO would not be found
  TextBuilder(work.copy).Text(work.file).Text(kSegmentSuffix);
  if (const int error = work.target.Open(work.copy); error != 0) return error;
  const auto write = [](void* target, const void* bytes, size_t size_bytes) {
    return static_cast<OutputTarget*>(target)->Write(static_cast<const char*>(bytes), size_bytes);
  };
  const int error = SegmentCopy(work.request.segment).WriteTo(write, &work.target);
  return error != 0 ? error : work.target.Commit();
}

int Run(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  const ShutdownRequest& request = work.request;
  const Segment& segment = request.segment;
  if (!segment.IsMapped()) return 0;  // the recording was stopped, and its data is gone
  if (!request.parameters.ExpandShutdownPath(request.pid, work.file)) {
    Note(segment, {ShutdownFailure::kBadPath, ENAMETOOLONG});
    return 0;
  }
  const char* const removed = request.is_own_place ? segment.path() : nullptr;
  const ShutdownOutcome outcome =
      RunShutdownCommand({&segment, work.file, removed, request.parameters.command_path}, request.patience_ns);
  Note(segment, outcome);
  if (outcome.failure == ShutdownFailure::kDidNotFail || outcome.failure == ShutdownFailure::kSlow) return 0;
  const int error = WriteCopy(work);
  work.has_copy = error == 0;
  // The command does not tell why it could not write. The copy failed for the same reason, unless none was tried.
  const bool is_not_written = outcome.failure == ShutdownFailure::kExited &&
                              outcome.detail == static_cast<int32_t>(ShutdownStatus::kNotWritten);
  const bool was_tried = work.place.way == FilePlace::Way::kReplace;
  if (!work.has_copy && is_not_written && was_tried) Note(segment, {ShutdownFailure::kBadPath, error});
  return 0;
}

}  // namespace

bool WriteShutdownProfile(RawThread* thread, const ShutdownRequest& request) {
  const PageMemory memory = PageMemory::Map(RoundUpTo(sizeof(Work), kPageBytes));
  if (!memory) {
    Note(request.segment, {ShutdownFailure::kNoProcess, ENOMEM});
    return false;
  }
  Work* const work = new (memory.data()) Work(request);
  if (thread != nullptr && thread->Start(&Run, work) == 0) {
    thread->WaitForEnd();
  } else {
    Run(work);
  }
  const bool has_copy = work->has_copy;
  work->~Work();
  return has_copy;
}

}  // namespace geckoprof
