// The control functions of base_profiler_abi.h, and the table of geckoprof_functions.h.
#include <cstddef>

#include "baseprofiler/c/geckoprof_base.h"
#include "baseprofiler/c/geckoprof_functions.h"
#include "core/profiler_core.h"
#include "core/wanted_parameters.h"
#include "geckoprof/base/sized_struct.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/segment/segment_counts.h"
#include "process/process_control.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

using Parameters = SizedStruct<geckoprof_start_parameters>;
static_assert(sizeof(geckoprof_start_parameters) == 48 && sizeof(geckoprof_buffer_info) == 40);
static_assert(GECKOPROF_UNPREPARED == static_cast<int>(ProfilerCore::StartResult::kUnprepared));

// Every version of a structure has the members before these offsets.
constexpr uint32_t kLeastParameterBytes = offsetof(geckoprof_start_parameters, capacity_bytes);
constexpr uint32_t kLeastInfoBytes = offsetof(geckoprof_buffer_info, used_bytes);

#define GECKOPROF_RETURNING_ENTRY(result, name, parameters, arguments, absent) &geckoprof_base_##name,
#define GECKOPROF_DOING_ENTRY(name, parameters, arguments) &geckoprof_base_##name,
constexpr geckoprof_base_functions kFunctions = {
    sizeof(kFunctions), GECKOPROF_BASE_FUNCTIONS_VERSION, &::geckoprof_base_words,
    GECKOPROF_BASE_FUNCTION_LIST_(GECKOPROF_RETURNING_ENTRY, GECKOPROF_DOING_ENTRY)};

// Returns false if the parameters have unknown members. Null means all defaults.
bool ReadWanted(const geckoprof_start_parameters* parameters, geckoprof_start_parameters& wanted) {
  wanted = GECKOPROF_START_PARAMETERS;
  if (parameters == nullptr) return true;
  return Parameters::Read(parameters, kLeastParameterBytes, Parameters::Surplus::kMustBeZero, wanted) &&
         wanted.reserved == 0 && (wanted.filters != nullptr || wanted.filter_count == 0);
}

HandoverParameters ToHandover(const geckoprof_start_parameters& wanted) {
  const uint32_t features = wanted.features != 0 ? wanted.features : kDefaultFeatures;
  return {sizeof(HandoverParameters), features,       wanted.capacity_bytes, wanted.interval_ns,
          wanted.duration_ns,         wanted.filters, wanted.filter_count,   features};
}

}  // namespace
}  // namespace geckoprof

using geckoprof::HandoverParameters;
using geckoprof::ProfilerCore;
using geckoprof::RecordingState;
using geckoprof::StartParameters;

GECKOPROF_EXPORT int geckoprof_base_start_with(const geckoprof_start_parameters* parameters) {
  geckoprof_start_parameters wanted;
  if (!geckoprof::ReadWanted(parameters, wanted)) return GECKOPROF_UNKNOWN_PARAMETER;
  return geckoprof_base_start(wanted.capacity_bytes, wanted.interval_ns, wanted.features, wanted.filters,
                              wanted.filter_count, wanted.duration_ns);
}

GECKOPROF_EXPORT int geckoprof_base_ensure_started(const geckoprof_start_parameters* parameters) {
  geckoprof_start_parameters wanted;
  if (!geckoprof::ReadWanted(parameters, wanted)) return GECKOPROF_UNKNOWN_PARAMETER;
  struct Search {
    HandoverParameters wanted;
    bool is_kept = false;
  } search{geckoprof::ToHandover(wanted)};
  ProfilerCore& core = ProfilerCore::Get();
  const auto compare = [](void* context, const StartParameters& runs) {
    auto* const asked = static_cast<Search*>(context);
    asked->is_kept = geckoprof::MatchesWanted(asked->wanted, runs);
  };
  if (core.VisitParameters(compare, &search)) {
    if (search.is_kept) return GECKOPROF_ALREADY_ACTIVE;
    if (geckoprof::WantedFilter(search.wanted).ExcludesProcess(RecordingState::Get().pid())) return GECKOPROF_EXCLUDED;
    geckoprof_base_stop();
  }
  return geckoprof_base_start_with(&wanted);
}

GECKOPROF_EXPORT int geckoprof_base_visit_start_parameters(void (*visit)(void*, const geckoprof_start_parameters*),
                                                           void* context) {
  struct Visit {
    void (*visit)(void*, const geckoprof_start_parameters*);
    void* context;
  } asked{visit, context};
  const auto show = [](void* argument, const HandoverParameters* found) {
    const auto* const to = static_cast<const Visit*>(argument);
    const geckoprof_start_parameters shown = {
        sizeof shown,       found->features, found->capacity_bytes, found->interval_ns,
        found->duration_ns, found->filters,  found->filter_count,   0};
    to->visit(to->context, &shown);
  };
  return visit != nullptr && ProfilerCore::Get().VisitParameters(show, &asked) ? 1 : 0;
}

GECKOPROF_EXPORT int geckoprof_base_thread_is_being_profiled(void) {
  RecordingState& state = RecordingState::Get();
  if (state.state() != geckoprof::ProfilerState::kActive) return 0;
  struct Look {
    char name[geckoprof::ThreadSlot::kNameBytes] = {};
    bool is_main = false, is_selected = false;
  } look;
  look.is_main = geckoprof::CurrentThread().ToNumber() == state.pid().ToNumber();
  const geckoprof::ThreadSlot* const slot = state.slots().Known();
  if (slot == nullptr || !slot->CopyName(look.name)) {
    char kernel_name[16];
    geckoprof::CopyCommandName(kernel_name);
    geckoprof::TextBuilder(look.name).Text(kernel_name);
  }
  const auto match = [](void* context, const StartParameters& runs) {
    auto* const asked = static_cast<Look*>(context);
    const geckoprof::ProcessId pid = RecordingState::Get().pid();
    asked->is_selected =
        asked->is_main ? runs.filter.MatchesMain(asked->name, pid) : runs.filter.Matches(asked->name, pid);
  };
  ProfilerCore::Get().VisitParameters(match, &look);
  return look.is_selected ? 1 : 0;
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
      return "this is the child of a fork that libc was not told of, or a copy in a namespace of its own";
    case GECKOPROF_UNKNOWN_PARAMETER:
      return "this release knows no such parameter";
    case GECKOPROF_NOT_HERE:
      return "there is no libbaseprofiler.so in this process";
    default:
      return "unknown";
  }
}

GECKOPROF_EXPORT uint32_t geckoprof_base_features(void) {
  uint32_t features = 0;
  const auto take = [](void* to, const StartParameters& runs) { *static_cast<uint32_t*>(to) = runs.features; };
  ProfilerCore::Get().VisitParameters(take, &features);
  return features;
}

GECKOPROF_EXPORT int geckoprof_base_get_buffer_info(geckoprof_buffer_info* info) {
  const geckoprof::Segment* const segment = RecordingState::Get().RecordingSegment();
  if (segment == nullptr) return 0;
  const auto counts = geckoprof::CountSegment(&segment->header(), segment->mapped_bytes());
  if (!counts.has_value()) return 0;
  geckoprof_buffer_info filled = GECKOPROF_BUFFER_INFO;
  filled.capacity_bytes = counts->capacity_bytes;
  filled.used_bytes = counts->used_bytes;
  filled.samples_taken = counts->samples_taken;
  filled.entries_dropped = counts->entries_dropped;
  return geckoprof::SizedStruct<geckoprof_buffer_info>::Write(filled, geckoprof::kLeastInfoBytes, info);
}

GECKOPROF_EXPORT const geckoprof_base_functions* geckoprof_base_get_functions(void) { return &geckoprof::kFunctions; }
