// Functions that take the profile out. The recording goes on meanwhile, and no thread of the program waits for it.
// After its duration is over, a recording can be taken out until the next start.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "geckoprofiler/c/geckoprof_output.h"
#include "geckoprofiler/profiler_result.h"

GECKOPROF_BEGIN_HIDDEN_

// Gives `sink` the profile of this process piece by piece, in order, as a std::string_view each: raw Gecko JSON, not
// symbolicated. The sink returns false to give up (kCannotWrite). It may call all of this API, and must not throw.
// Errors: kInactive, kGenerationFailed (the text says why), kOldBase.
template <typename Sink>
geckoprof::ProfilerOutcome profiler_stream_json_for_this_process(Sink&& sink) {
  using Target = std::remove_reference_t<Sink>;
  if (geckoprof::detail::IsEmptyCallback<std::decay_t<Sink>>(sink)) {
    return {geckoprof::ProfilerStatus::kBadArgument, "a sink is needed"};
  }
  const auto write = [](void* user, const char* bytes, size_t size_bytes) -> int {
    return static_cast<bool>((*static_cast<Target*>(user))(std::string_view(bytes, size_bytes))) ? 1 : 0;
  };
  void* const user = const_cast<void*>(static_cast<const volatile void*>(&sink));
  return geckoprof::detail::AskForOutcome(
      [&](char* text, size_t bytes) { return geckoprof_stream_profile(write, user, text, bytes); });
}

// The same as one text.
inline geckoprof::ProfilerResult<std::string> profiler_get_profile() {
  std::string json;
  bool has_memory = true;
  geckoprof::ProfilerOutcome outcome = profiler_stream_json_for_this_process([&](std::string_view piece) {
    has_memory = geckoprof::detail::RunUnlessOutOfMemory([&] { json.append(piece.data(), piece.size()); });
    return has_memory;
  });
  if (!has_memory) return geckoprof::ProfilerStatus::kNoMemory;
  if (!outcome) return outcome;
  return json;
}

// The same, into a file. Each "%p" of the name becomes the process's number. The file is written beside its place and
// renamed, so that no reader meets half a file; where a link leads, and with the mode of what was there. A device, a
// pipe, a FIFO that has a reader, and a file that /proc leads to (/dev/stdout) are written to. A reader that takes
// nothing for 10 s ends it: kCannotWrite.
inline geckoprof::ProfilerOutcome profiler_save_profile(const char* file_name) {
  return geckoprof::detail::AskForOutcome(
      [file_name](char* text, size_t bytes) { return geckoprof_save_profile(file_name, text, bytes); });
}

GECKOPROF_END_VISIBILITY_

// The same for C and for foreign functions. Returns a ProfilerStatus, where 0 means written.
#if GECKOPROF_IS_ENABLED_
extern "C" [[gnu::visibility("default")]] int profiler_save_profile_to_file(const char* file_name);
#else
inline int profiler_save_profile_to_file(const char*) { return GECKOPROF_NO_BASE; }
#endif

// How much is recorded, in bytes of entries.
struct ProfilerBufferInfo {
  uint64_t range_start = 0;  // of what is still there; positions only ever grow
  uint64_t range_end = 0;
  uint64_t used_bytes = 0;
  uint64_t capacity_bytes = 0;
  uint64_t samples_taken = 0;
  uint64_t entries_dropped = 0;
};

GECKOPROF_BEGIN_HIDDEN_

// Nothing if there is no recording. A recording that ended by itself, or for which no thread could be made, has what
// there is, and its profile says why.
inline std::optional<ProfilerBufferInfo> profiler_get_buffer_info() {
  ProfilerBufferInfo info;
  geckoprof_buffer_info counts = GECKOPROF_BUFFER_INFO;
  if (geckoprof_get_buffer_info(&counts) != GECKOPROF_DONE) return std::nullopt;
  if (geckoprof_get_buffer_range(&info.range_start, &info.range_end) != GECKOPROF_DONE) return std::nullopt;
  info.used_bytes = counts.used_bytes;
  info.capacity_bytes = counts.capacity_bytes;
  info.samples_taken = counts.samples_taken;
  info.entries_dropped = counts.entries_dropped;
  return info;
}

GECKOPROF_END_VISIBILITY_

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_
