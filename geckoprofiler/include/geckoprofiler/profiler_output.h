// Functions that take the profile out. The recording goes on meanwhile, and no thread of the program waits for it.
// After its duration is over, a recording can be taken out until the next start.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_OUTPUT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "geckoprofiler/c/geckoprof_output.h"
#include "geckoprofiler/profiler_control.h"
#include "geckoprofiler/profiler_result.h"

namespace geckoprof {

// ProfileOptions: what a profile is to have.
struct ProfileOptions {
  bool with_children = true;          // those that follow (profiler_follow_children)
  std::optional<double> last_s = {};  // only data of the last so many seconds
  // Told how far it is, from 0 to 1, and what happens. It returns false to cancel (kCancelled). It may call all of this
  // API, and must not throw.
  std::function<bool(double fraction, std::string_view text)> progress = {};
};

}  // namespace geckoprof

GECKOPROF_BEGIN_HIDDEN_

namespace geckoprof {
namespace detail {

inline geckoprof_profile_options ToC(const ProfileOptions& options) {
  geckoprof_profile_options out = GECKOPROF_PROFILE_OPTIONS;
  out.without_children = options.with_children ? 0 : 1;
  if (options.last_s.has_value()) out.last_ns = ToNs(*options.last_s, 1e9);
  if (!options.progress) return out;
  out.progress = [](void* user, double fraction, const char* text) -> int {
    return static_cast<const ProfileOptions*>(user)->progress(fraction, text) ? 1 : 0;
  };
  out.user = const_cast<ProfileOptions*>(&options);
  return out;
}

}  // namespace detail
}  // namespace geckoprof

// Gives `sink` the profile of this process and its children piece by piece, in order, as a std::string_view each: raw
// Gecko JSON, not symbolicated. The sink returns false to give up (kCannotWrite). It may call all of this API, and must
// not throw. Errors: kInactive, kGenerationFailed (the text says why), kOldBase, kCancelled.
template <typename Sink>
geckoprof::ProfilerOutcome profiler_stream_json(Sink&& sink, const geckoprof::ProfileOptions& options = {}) {
  using Target = std::remove_reference_t<Sink>;
  if (geckoprof::detail::IsEmptyCallback<std::decay_t<Sink>>(sink)) {
    return {geckoprof::ProfilerStatus::kBadArgument, "a sink is needed"};
  }
  const auto write = [](void* user, const char* bytes, size_t size_bytes) -> int {
    return static_cast<bool>((*static_cast<Target*>(user))(std::string_view(bytes, size_bytes))) ? 1 : 0;
  };
  void* const user = const_cast<void*>(static_cast<const volatile void*>(&sink));
  const geckoprof_profile_options wanted = geckoprof::detail::ToC(options);
  return geckoprof::detail::AskForOutcome(
      [&](char* text, size_t bytes) { return geckoprof_stream_profile_with(&wanted, write, user, text, bytes); });
}

// The same for this process alone.
template <typename Sink>
geckoprof::ProfilerOutcome profiler_stream_json_for_this_process(Sink&& sink) {
  geckoprof::ProfileOptions options;
  options.with_children = false;
  return profiler_stream_json(std::forward<Sink>(sink), options);
}

// The profile of this process and its children as one text.
inline geckoprof::ProfilerResult<std::string> profiler_get_profile(const geckoprof::ProfileOptions& options = {}) {
  std::string json;
  bool has_memory = true;
  const auto append = [&](std::string_view piece) {
    has_memory = geckoprof::detail::RunUnlessOutOfMemory([&] { json.append(piece.data(), piece.size()); });
    return has_memory;
  };
  geckoprof::ProfilerOutcome outcome = profiler_stream_json(append, options);
  if (!has_memory) return geckoprof::ProfilerStatus::kNoMemory;
  if (!outcome) return outcome;
  return json;
}

// The same, into a file. Each "%p" of the name becomes the process's number, "%h" the host's name and "%r" the rank
// (MPI, Slurm; 0 without). The file is written beside its place and renamed, so that no reader meets half a file; where
// a link leads, and with the mode of what was there. A device, a pipe, a FIFO that has a reader, and a file that /proc
// leads to (/dev/stdout) are written to. A reader that takes nothing for 10 s ends it: kCannotWrite.
inline geckoprof::ProfilerOutcome profiler_save_profile(const char* file_name,
                                                        const geckoprof::ProfileOptions& options = {}) {
  const geckoprof_profile_options wanted = geckoprof::detail::ToC(options);
  return geckoprof::detail::AskForOutcome(
      [&](char* text, size_t bytes) { return geckoprof_save_profile_with(&wanted, file_name, text, bytes); });
}

// Writes the data of the last seconds, of this process and its children. The recording goes on. kBadArgument: `seconds`
// is not greater than 0.
inline geckoprof::ProfilerOutcome profiler_capture_last(double seconds, const char* file_name) {
  return geckoprof::detail::AskForOutcome([seconds, file_name](char* text, size_t bytes) {
    return geckoprof_capture_last(seconds, file_name, text, bytes);
  });
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
