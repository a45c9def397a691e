// geckoprofiler/profiler_output.h.
#include "geckoprofiler/profiler_output.h"

#include "capture/own_profile.h"
#include "capture/saved_profile.h"
#include "core/full_profiler.h"
#include "handover/segment_counts.h"
#include "runtime/api_call.h"

using geckoprof::ApiCall;
using geckoprof::FullProfiler;

namespace {

bool WriteToSink(void* context, const char* bytes, size_t size_bytes) {
  const ApiCall::Outside outside;
  return (*static_cast<const ProfilerJsonSink*>(context))(std::string_view(bytes, size_bytes));
}

// Nobody is told of a profile that cannot be.
void TellGenerating() {
  FullProfiler& profiler = FullProfiler::Get();
  uint64_t size_bytes = 0;
  // Also of a recording that has ended by itself.
  if (profiler.base().SegmentAt(0, &size_bytes) == nullptr) return;
  profiler.listeners().Notify(ProfilingState::GeneratingProfile);
}

}  // namespace

geckoprof::ProfilerResult<std::string> profiler_get_profile() {
  std::string json;
  geckoprof::ProfilerOutcome outcome = ApiCall::Outcome([&json] {
    TellGenerating();
    return WriteOwnProfile(FullProfiler::Get().base(), geckoprof::StringSink(&json));
  });
  if (!outcome) return outcome;
  return json;
}

geckoprof::ProfilerOutcome profiler_stream_json_for_this_process(const ProfilerJsonSink& sink) {
  if (!sink) return {geckoprof::ProfilerStatus::kBadArgument, "a sink is needed"};
  return ApiCall::Outcome([&sink] {
    TellGenerating();
    return WriteOwnProfile(FullProfiler::Get().base(), {&WriteToSink, const_cast<ProfilerJsonSink*>(&sink)});
  });
}

geckoprof::ProfilerOutcome profiler_save_profile(const char* file_name) {
  return ApiCall::Outcome([file_name] {
    TellGenerating();
    return SaveOwnProfile(FullProfiler::Get().base(), file_name);
  });
}

extern "C" int profiler_save_profile_to_file(const char* file_name) {
  const geckoprof::ProfilerOutcome outcome = profiler_save_profile(file_name);
  return outcome ? 0 : static_cast<int>(outcome.status);
}

std::optional<ProfilerBufferInfo> profiler_get_buffer_info() {
  const geckoprof::BaseLink& base = FullProfiler::Get().base();
  uint64_t size_bytes = 0;
  const void* const segment = base.SegmentAt(0, &size_bytes);
  return geckoprof::CountSegment(segment, size_bytes);
}
