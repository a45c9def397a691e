#include "capture/own_profile.h"

#include <cstdint>

#include "capture/memory_guard.h"
#include "geckoprof/streaming/gecko_writer.h"
#include "geckoprof/streaming/segment_reader.h"

namespace geckoprof {
namespace {

const char* ToText(SegmentReadStatus status) {
  switch (status) {
    case SegmentReadStatus::kOk:
    case SegmentReadStatus::kDamaged:
      return "";
    case SegmentReadStatus::kCannotOpen:
    case SegmentReadStatus::kNotASegment:
      return "the recording ended meanwhile";
    case SegmentReadStatus::kNewerVersion:
      return "the loaded libbaseprofiler.so writes a newer format than this library reads";
  }
  return "the segment cannot be read";
}

struct Job {
  const BaseLink* base;
  const JsonSink* sink;
  ProfilerOutcome outcome;
};

void Run(void* argument) {
  auto* const job = static_cast<Job*>(argument);
  uint64_t size_bytes = 0;
  const void* const segment = job->base->Segment(&size_bytes);
  if (segment == nullptr) {
    job->outcome = {ProfilerStatus::kInactive, {}};
    return;
  }
  ProcessProfile profile;
  const SegmentReadResult result = ReadMappedSegment(segment, size_bytes, profile);
  if (result.status != SegmentReadStatus::kOk && result.status != SegmentReadStatus::kDamaged) {
    job->outcome = {ProfilerStatus::kGenerationFailed, ToText(result.status)};
    return;
  }
  JsonWriter writer(*job->sink);
  WriteGeckoProfile(profile, {}, writer);
  if (!writer.Finish()) job->outcome = {ProfilerStatus::kCannotWrite, {}};
}

}  // namespace

ProfilerOutcome WriteOwnProfile(const BaseLink& base, const JsonSink& sink) {
  if (!base.usable()) return base.usable();
  if (!base.has_segment()) {
    return {ProfilerStatus::kOldBase, "the loaded libbaseprofiler.so is too old to say where it records to"};
  }
  Job job{&base, &sink, {}};
  if (!RunUnlessOutOfMemory(&Run, &job)) {
    return {ProfilerStatus::kGenerationFailed, "there is not enough memory to make the profile"};
  }
  return job.outcome;
}

}  // namespace geckoprof
