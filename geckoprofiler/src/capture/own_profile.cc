#include "capture/own_profile.h"

#include <cstdint>
#include <string_view>

#include "capture/memory_guard.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/modules/memory_map.h"
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
      return "the segment's file cannot be opened";
    case SegmentReadStatus::kNotASegment:
      return "the recording ended meanwhile, or its file is not a segment";
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

// A segment without a file has no name to be opened by.
void Run(void* argument) {
  auto* const job = static_cast<Job*>(argument);
  uint64_t size_bytes = 0;
  const void* const segment = job->base->Segment(&size_bytes);
  if (segment == nullptr) {
    job->outcome = {ProfilerStatus::kInactive, {}};
    return;
  }
  const std::string path = PathOfMapping(segment);
  if (path.empty()) {
    job->outcome = {ProfilerStatus::kGenerationFailed, "the segment has no file, or its name is gone"};
    return;
  }
  ProcessProfile profile;
  const SegmentReadResult result = ReadSegmentFile(path.c_str(), profile);
  if (result.status != SegmentReadStatus::kOk && result.status != SegmentReadStatus::kDamaged) {
    job->outcome = {ProfilerStatus::kGenerationFailed, path + ": " + ToText(result.status)};
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

std::string PathOfMapping(const void* address) {
  std::string maps;
  if (ReadWholeFile("/proc/self/maps", maps) != 0) return {};
  const uint64_t avma = reinterpret_cast<uintptr_t>(address);
  std::string_view rest = maps;
  while (!rest.empty()) {
    MapsLine line;
    if (!TakeMapsLine(rest, line) || avma < line.start_avma || avma >= line.end_avma) continue;
    return line.deleted || line.inode == 0 ? std::string() : UnescapeMapsPath(line.path);
  }
  return {};
}

}  // namespace geckoprof
