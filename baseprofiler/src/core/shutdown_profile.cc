#include "core/shutdown_profile.h"

#include "geckoprof/base/clock.h"
#include "geckoprof/base/output_target.h"
#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/segment_reader.h"
#include "runtime/base_heap.h"

namespace geckoprof {
namespace {

// A reader that does not read for so long does not hold up the program's end.
constexpr int64_t kPatienceNs = 2 * kNsPerSecond;

struct Job {
  const Segment* segment;
  OutputTarget* target;
  bool written;
};

bool WriteBytes(void* context, const char* bytes, size_t size_bytes) {
  return static_cast<OutputTarget*>(context)->Write(bytes, size_bytes) == 0;
}

void Run(void* argument) {
  auto* const job = static_cast<Job*>(argument);
  ProcessProfile profile;
  const SegmentReadResult result = ReadOwnSegment(*job->segment, profile);
  if (result.status != SegmentReadStatus::kOk && result.status != SegmentReadStatus::kDamaged) return;
  JsonWriter writer({&WriteBytes, job->target});
  WriteGeckoProfile(profile, {}, writer);
  job->written = writer.Finish();
}

}  // namespace

bool WriteShutdownProfile(const Segment& segment, const char* path) {
  OutputTarget target(kPatienceNs);
  if (target.Open(path) != 0) return false;
  Job job{&segment, &target, false};
  return BaseHeap::RunOrEscape(&Run, &job) && job.written && target.Commit() == 0;
}

bool WriteShutdownProfileOn(RawThread& thread, const Segment& segment, const char* path) {
  struct Work {
    const Segment& segment;
    const char* path;
    bool written;
  } work{segment, path, false};
  const auto write = [](void* argument) {
    auto* const given = static_cast<Work*>(argument);
    given->written = WriteShutdownProfile(given->segment, given->path);
    return 0;
  };
  if (thread.Start(write, &work) == 0) {
    thread.WaitForEnd();
  } else {
    write(&work);
  }
  return work.written;
}

}  // namespace geckoprof
