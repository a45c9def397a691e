#include "capture/own_profile.h"

#include <cstdint>

#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/reader/segment_reader.h"
#include "runtime/api_call.h"

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

// The sampler is asleep, or in the middle of a tick; a machine with other work lets it wait longer.
constexpr int64_t kMostSettlingNs = 20'000'000;

struct Job {
  const BaseLink* base;
  const JsonSink* sink;
  Outcome outcome;
};

// One recording's segment; nothing any more when another one began.
struct OneSegment {
  const BaseLink* base;
  const void* header;

  static const void* At(const void* self, uint64_t offset, uint64_t* bytes) {
    const auto* const one = static_cast<const OneSegment*>(self);
    if (one->base->SegmentAt(0, bytes) != one->header) return nullptr;
    return one->base->SegmentAt(offset, bytes);
  }
};

void Run(void* argument) {
  auto* const job = static_cast<Job*>(argument);
  uint64_t size_bytes = 0;
  const OneSegment segment{job->base, job->base->SegmentAt(0, &size_bytes)};
  if (segment.header == nullptr) {
    job->outcome = {ProfilerStatus::kInactive, {}};
    return;
  }
  job->base->Settle(kMostSettlingNs);
  ProcessProfile profile;
  const SegmentReadResult result = ReadMappedSegment({&OneSegment::At, &segment}, profile);
  if (result.status != SegmentReadStatus::kOk && result.status != SegmentReadStatus::kDamaged) {
    job->outcome = {ProfilerStatus::kGenerationFailed, ToText(result.status)};
    return;
  }
  JsonWriter writer(*job->sink);
  WriteGeckoProfile(profile, {}, writer);
  if (!writer.Finish()) job->outcome = {ProfilerStatus::kCannotWrite, {}};
}

}  // namespace

Outcome WriteOwnProfile(const BaseLink& base, const JsonSink& sink) {
  if (!base.usable()) return base.usable();
  if (!base.has_segment()) {
    return {ProfilerStatus::kOldBase, "the loaded libbaseprofiler.so is too old to say where it records to"};
  }
  Job job{&base, &sink, {}};
  if (!RunUnlessOutOfMemory(&Run, &job)) {
    return {ProfilerStatus::kNoMemory, {}};
  }
  return job.outcome;
}

}  // namespace geckoprof
