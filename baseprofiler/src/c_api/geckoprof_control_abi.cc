// baseprofiler/c/geckoprof_control.h and geckoprof_functions.h.
#include <cstddef>

#include "baseprofiler/c/geckoprof_control.h"
#include "baseprofiler/c/geckoprof_functions.h"
#include "c_api/recorded_amount.h"
#include "core/exported_function.h"
#include "core/profiler_core.h"
#include "geckoprof/base/sized_struct.h"

namespace geckoprof {
namespace {

using Parameters = SizedStruct<geckoprof_start_parameters>;
static_assert(sizeof(geckoprof_start_parameters) == 48 && sizeof(geckoprof_buffer_info) == 40);
static_assert(GECKOPROF_UNPREPARED == static_cast<int>(ProfilerCore::StartResult::kUnprepared));

// Every version has what comes before it.
constexpr uint32_t kLeastParameterBytes = offsetof(geckoprof_start_parameters, capacity_bytes);
constexpr uint32_t kLeastInfoBytes = offsetof(geckoprof_buffer_info, used_bytes);

#define GECKOPROF_RETURNING_ENTRY(result, name, parameters, arguments, absent) &geckoprof_base_##name,
#define GECKOPROF_DOING_ENTRY(name, parameters, arguments) &geckoprof_base_##name,
constexpr geckoprof_base_functions kFunctions = {
    sizeof(kFunctions), 1, &::geckoprof_base_words,
    GECKOPROF_BASE_FUNCTION_LIST_(GECKOPROF_RETURNING_ENTRY, GECKOPROF_DOING_ENTRY)};

}  // namespace
}  // namespace geckoprof

using geckoprof::ProfilerCore;

GECKOPROF_EXPORT int geckoprof_base_start_with(const geckoprof_start_parameters* parameters) {
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  if (parameters != nullptr && (!geckoprof::Parameters::Read(parameters, geckoprof::kLeastParameterBytes,
                                                             geckoprof::Parameters::Surplus::kMustBeZero, wanted) ||
                                wanted.reserved != 0 || (wanted.filters == nullptr && wanted.filter_count != 0))) {
    return GECKOPROF_UNKNOWN_PARAMETER;
  }
  return geckoprof_base_start(wanted.capacity_bytes, wanted.interval_ns, wanted.features, wanted.filters,
                              wanted.filter_count, wanted.duration_ns);
}

GECKOPROF_EXPORT const char* geckoprof_base_start_text(int result) {
  switch (result) {
    case GECKOPROF_STARTED:
      return "it records";
    case GECKOPROF_ALREADY_ACTIVE:
      return "it recorded already";
    case GECKOPROF_EXCLUDED:
      return "the filters exclude this process";
    case GECKOPROF_NO_SEGMENT:
      return "there is no memory or space for the recording";
    case GECKOPROF_NO_THREAD:
      return "the kernel allows no further thread";
    case GECKOPROF_UNPREPARED:
      return "this is the child of a fork that libc was not told of";
    case GECKOPROF_UNKNOWN_PARAMETER:
      return "this release knows no such parameter";
    case GECKOPROF_NOT_HERE:
      return "there is no libbaseprofiler.so in this process";
    default:
      return "unknown";
  }
}

GECKOPROF_EXPORT uint32_t geckoprof_base_features(void) {
  geckoprof::HandoverParameters parameters{};
  return ProfilerCore::Get().CopyParameters(parameters) ? parameters.features : 0;
}

GECKOPROF_EXPORT int geckoprof_base_get_buffer_info(geckoprof_buffer_info* info) {
  const geckoprof::Segment* const segment = ProfilerCore::Get().RecordingSegment();
  if (segment == nullptr) return 0;
  return geckoprof::SizedStruct<geckoprof_buffer_info>::Write(geckoprof::RecordedAmount(*segment),
                                                              geckoprof::kLeastInfoBytes, info);
}

GECKOPROF_EXPORT const geckoprof_base_functions* geckoprof_base_get_functions(void) { return &geckoprof::kFunctions; }
