// geckoprofiler/c/geckoprof_output.h.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "capture/gathering.h"
#include "capture/own_profile.h"
#include "capture/stack_capture.h"
#include "children/followed_children.h"
#include "core/full_profiler.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/sized_struct.h"
#include "geckoprof/segment/segment_counts.h"
#include "geckoprofiler/c/geckoprof_output.h"
#include "geckoprofiler/profiler_values.h"
#include "runtime/api_call.h"

using geckoprof::AnswerC;
using geckoprof::ApiCall;
using geckoprof::Backtrace;
using geckoprof::FullProfiler;
using geckoprof::ProfilerOutcome;
using geckoprof::ProfilerStatus;
using geckoprof::SegmentCounts;
using geckoprof::SizedStruct;
using geckoprof::StackCapture;
using geckoprof::ThreadId;

struct geckoprof_backtrace {
  Backtrace frames;
};

// A function for C and for foreign function interfaces, named as in Firefox (profiler_output.h).
extern "C" [[gnu::visibility("default")]] int profiler_save_profile_to_file(const char* file_name);

namespace {

using Options = SizedStruct<geckoprof_profile_options>;
constexpr uint32_t kLeastOptionBytes = offsetof(geckoprof_profile_options, without_children);
constexpr uint32_t kLeastInfoBytes = offsetof(geckoprof_buffer_info, used_bytes);
constexpr uint32_t kLeastFrameBytes = offsetof(geckoprof_frame, label);
constexpr uint32_t kLeastBacktraceInfoBytes = offsetof(geckoprof_backtrace_info, is_complete);

// GrowingBytes: bytes for C. They come from malloc and end with a zero.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  ~GrowingBytes() { free(bytes_); }
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;

  bool Add(std::string_view piece) {
    if (used_ + piece.size() + 1 > room_) {
      const size_t room = 2 * (used_ + piece.size()) + 64 * 1024;
      auto* const grown = static_cast<char*>(realloc(bytes_, room));
      if (grown == nullptr) return false;
      bytes_ = grown;
      room_ = room;
    }
    memcpy(bytes_ + used_, piece.data(), piece.size());
    used_ += piece.size();
    bytes_[used_] = '\0';
    return true;
  }
  size_t size() const { return used_; }
  char* Release() {
    char* const bytes = bytes_;
    bytes_ = nullptr;
    return bytes;
  }

 private:
  char* bytes_ = nullptr;
  size_t used_ = 0, room_ = 0;
};

// Listeners hear nothing if there is no recording. A recording that has ended by itself still counts.
void NotifyGenerating() {
  FullProfiler& profiler = FullProfiler::Get();
  uint64_t size_bytes = 0;
  if (profiler.base().SegmentAt(0, &size_bytes) == nullptr) return;
  profiler.listeners().Notify(ProfilingState::GeneratingProfile);
}

// Reads the options of a caller. Returns false if they are no structure.
bool ReadOptions(const geckoprof_profile_options* given, geckoprof_profile_options& options) {
  options = GECKOPROF_PROFILE_OPTIONS;
  return given == nullptr || Options::Read(given, kLeastOptionBytes, Options::Surplus::kIgnored, options);
}

// Gathers the children, and calls `write` with the request. REQUIRES: inside an ApiCall.
template <typename Write>
ProfilerOutcome MakeProfile(const geckoprof_profile_options& options, const Write& write) {
  NotifyGenerating();
  geckoprof::Gathering::Progress progress;
  if (options.progress != nullptr) {
    progress = [&options](double fraction, std::string_view text) {
      return options.progress(options.user, fraction, std::string(text).c_str()) != 0;
    };
  }
  geckoprof::Gathering gathering(std::move(progress));
  geckoprof::ProfileRequest request;
  request.gathering = &gathering;
  if (options.last_ns > 0) request.since_ns = std::max<int64_t>(geckoprof::MonotonicNs() - options.last_ns, 1);
  geckoprof::FollowedChildren& children = FullProfiler::Get().children();
  const bool has_children = options.without_children == 0 && children.is_on();
  if (!gathering.Report(0, has_children ? "asking the child processes" : "reading this process")) {
    return {ProfilerStatus::kCancelled, {}};
  }
  if (has_children) {
    gathering.Read(children.Collect(gathering.log()), request.since_ns);
    request.log = children.log();
    if (gathering.is_cancelled()) return {ProfilerStatus::kCancelled, {}};
  }
  return write(request);
}

ProfilerOutcome WriteProfile(const geckoprof_profile_options& options, const geckoprof::JsonSink& sink) {
  return ApiCall::Answer([&] {
    return MakeProfile(options, [&sink](const geckoprof::ProfileRequest& request) {
      return WriteOwnProfile(FullProfiler::Get().base(), sink, request);
    });
  });
}

ProfilerOutcome SaveProfile(const geckoprof_profile_options& options, const char* file_name) {
  return ApiCall::Answer([&]() -> ProfilerOutcome {
    if (file_name == nullptr) return {ProfilerStatus::kBadArgument, "a file name is needed"};
    return MakeProfile(options, [file_name](const geckoprof::ProfileRequest& request) {
      return SaveOwnProfile(FullProfiler::Get().base(), file_name, request);
    });
  });
}

std::optional<SegmentCounts> Counts() {
  uint64_t size_bytes = 0;
  const void* const segment = FullProfiler::Get().base().SegmentAt(0, &size_bytes);
  return geckoprof::CountSegment(segment, size_bytes);
}

// Creates *backtrace if it is null. REQUIRES: inside an ApiCall.
Backtrace& GetOrCreateFrames(geckoprof_backtrace** backtrace) {
  if (*backtrace == nullptr) *backtrace = new geckoprof_backtrace;
  return (*backtrace)->frames;
}

bool CaptureOwn(Backtrace& out, bool native) {
  FullProfiler& profiler = FullProfiler::Get();
  const uint32_t features = profiler.active_features();
  if (ProfilerFeature::Has(features, ProfilerFeature::NoStackSampling)) return false;
  StackCapture::Request request;
  request.native = native && ProfilerFeature::Has(features, ProfilerFeature::StackWalk);
  if (!profiler.stack_capture().Capture(request, out) || out.empty()) return false;
  out.info.tid = static_cast<int32_t>(geckoprof::RawSyscall(SYS_gettid));
  out.info.monotonic_ns = geckoprof::MonotonicNs();
  return true;
}

}  // namespace

int geckoprof_save_profile(const char* file_name, char* detail, size_t detail_bytes) {
  return geckoprof_save_profile_with(nullptr, file_name, detail, detail_bytes);
}

int geckoprof_save_profile_with(const geckoprof_profile_options* given, const char* file_name, char* detail,
                                size_t detail_bytes) {
  geckoprof_profile_options options;
  if (!ReadOptions(given, options)) return AnswerC({ProfilerStatus::kBadArgument, {}}, detail, detail_bytes);
  return AnswerC(SaveProfile(options, file_name), detail, detail_bytes);
}

int geckoprof_capture_last(double seconds, const char* file_name, char* detail, size_t detail_bytes) {
  constexpr double kMostSeconds = 1e9;
  if (!(seconds > 0)) {
    return AnswerC({ProfilerStatus::kBadArgument, "a number of seconds is needed"}, detail, detail_bytes);
  }
  geckoprof_profile_options options = GECKOPROF_PROFILE_OPTIONS;
  options.last_ns = std::max<int64_t>(static_cast<int64_t>(std::min(seconds, kMostSeconds) * 1e9), 1);
  return geckoprof_save_profile_with(&options, file_name, detail, detail_bytes);
}

int profiler_save_profile_to_file(const char* file_name) {
  const int status = geckoprof_save_profile(file_name, nullptr, 0);
  return status == GECKOPROF_UNCHANGED ? GECKOPROF_DONE : status;
}

int geckoprof_get_profile(char** json, size_t* json_bytes, char* detail, size_t detail_bytes) {
  if (json != nullptr) *json = nullptr;
  if (json_bytes != nullptr) *json_bytes = 0;
  if (json == nullptr) return AnswerC({ProfilerStatus::kBadArgument, {}}, detail, detail_bytes);
  struct Sink {
    GrowingBytes grown;
    bool no_memory = false;
  } into;
  const auto add = [](void* context, const char* bytes, size_t size_bytes) {
    Sink& sink = *static_cast<Sink*>(context);
    sink.no_memory = !sink.grown.Add({bytes, size_bytes});
    return !sink.no_memory;
  };
  ProfilerOutcome outcome = WriteProfile(GECKOPROF_PROFILE_OPTIONS, {add, &into});
  if (into.no_memory) outcome = {ProfilerStatus::kNoMemory, {}};
  if (outcome) {
    if (json_bytes != nullptr) *json_bytes = into.grown.size();
    *json = into.grown.Release();
  }
  return AnswerC(outcome, detail, detail_bytes);
}

void geckoprof_free_profile(char* json) { free(json); }

int geckoprof_stream_profile(geckoprof_profile_sink sink, void* user, char* detail, size_t detail_bytes) {
  return geckoprof_stream_profile_with(nullptr, sink, user, detail, detail_bytes);
}

int geckoprof_stream_profile_with(const geckoprof_profile_options* given, geckoprof_profile_sink sink, void* user,
                                  char* detail, size_t detail_bytes) {
  geckoprof_profile_options options;
  if (!ReadOptions(given, options)) return AnswerC({ProfilerStatus::kBadArgument, {}}, detail, detail_bytes);
  if (sink == nullptr) return AnswerC({ProfilerStatus::kBadArgument, "a sink is needed"}, detail, detail_bytes);
  struct Sink {
    geckoprof_profile_sink write;
    void* user;
  } into{sink, user};
  const auto write = [](void* context, const char* bytes, size_t size_bytes) {
    const ApiCall::Outside outside;
    const Sink& to = *static_cast<Sink*>(context);
    return to.write(to.user, bytes, size_bytes) != 0;
  };
  return AnswerC(WriteProfile(options, {write, &into}), detail, detail_bytes);
}

int geckoprof_get_buffer_info(geckoprof_buffer_info* info) {
  const auto found = Counts();
  if (!found.has_value()) return GECKOPROF_INACTIVE;
  geckoprof_buffer_info filled = GECKOPROF_BUFFER_INFO;
  filled.capacity_bytes = found->capacity_bytes;
  filled.used_bytes = found->used_bytes;
  filled.samples_taken = found->samples_taken;
  filled.entries_dropped = found->entries_dropped;
  const bool written = SizedStruct<geckoprof_buffer_info>::Write(filled, kLeastInfoBytes, info);
  return written ? GECKOPROF_DONE : GECKOPROF_OUT_OF_RANGE;
}

int geckoprof_get_buffer_range(uint64_t* range_start, uint64_t* range_end) {
  if (range_start == nullptr || range_end == nullptr) return GECKOPROF_OUT_OF_RANGE;
  const auto found = Counts();
  if (!found.has_value()) return GECKOPROF_INACTIVE;
  *range_start = found->range_start;
  *range_end = found->range_end;
  return GECKOPROF_DONE;
}

double geckoprof_get_time_ms(void) {
  int64_t start_ns = 0;
  const auto look = [](void* out) { *static_cast<int64_t*>(out) = ProcessStartNs(FullProfiler::Get().base()); };
  if (!geckoprof::RunUnlessOutOfMemory(look, &start_ns)) return 0;
  return static_cast<double>(geckoprof::MonotonicNs() - start_ns) / 1e6;
}

int geckoprof_capture_backtrace_into(geckoprof_backtrace** backtrace, int native) {
  if (backtrace == nullptr) return 0;
  if (*backtrace != nullptr) (*backtrace)->frames.Clear();
  if ((FullProfiler::Get().state() & geckoprof::kStateActive) == 0) return 0;
  bool captured = false;
  const ProfilerStatus status = ApiCall::Run([&] { captured = CaptureOwn(GetOrCreateFrames(backtrace), native != 0); });
  if (!captured && *backtrace != nullptr) (*backtrace)->frames.Clear();
  return captured && status == ProfilerStatus::kDone ? 1 : 0;
}

geckoprof_backtrace* geckoprof_capture_backtrace(void) {
  geckoprof_backtrace* backtrace = nullptr;
  if (geckoprof_capture_backtrace_into(&backtrace, 1) != 0) return backtrace;
  delete backtrace;
  return nullptr;
}

int geckoprof_sample_thread(int32_t tid, int native, geckoprof_backtrace** backtrace, char* detail,
                            size_t detail_bytes) {
  const ProfilerOutcome outcome = ApiCall::Answer([&]() -> ProfilerOutcome {
    if (backtrace == nullptr) return {ProfilerStatus::kBadArgument, {}};
    if (tid == 0) return {ProfilerStatus::kBadArgument, "the thread's id must be specified"};
    Backtrace& out = GetOrCreateFrames(backtrace);
    ProfilerOutcome taken = FullProfiler::Get().stack_capture().Capture(
        {ThreadId::FromNumber(tid), native != 0, geckoprof::kNsPerSecond}, out);
    out.info.tid = tid;
    out.info.monotonic_ns = geckoprof::MonotonicNs();
    return taken;
  });
  if (!outcome && backtrace != nullptr && *backtrace != nullptr) (*backtrace)->frames.Clear();
  return AnswerC(outcome, detail, detail_bytes);
}

geckoprof_backtrace* geckoprof_copy_backtrace(const geckoprof_backtrace* backtrace) {
  geckoprof_backtrace* copy = nullptr;
  if (backtrace == nullptr) return nullptr;
  (void)ApiCall::Run([&] { copy = new geckoprof_backtrace(*backtrace); });
  return copy;
}

void geckoprof_free_backtrace(geckoprof_backtrace* backtrace) { delete backtrace; }

int geckoprof_get_backtrace_info(const geckoprof_backtrace* backtrace, geckoprof_backtrace_info* info) {
  if (backtrace == nullptr) return GECKOPROF_OUT_OF_RANGE;
  const bool written =
      SizedStruct<geckoprof_backtrace_info>::Write(backtrace->frames.info, kLeastBacktraceInfoBytes, info);
  return written ? GECKOPROF_DONE : GECKOPROF_OUT_OF_RANGE;
}

size_t geckoprof_backtrace_size(const geckoprof_backtrace* backtrace) {
  return backtrace == nullptr ? 0 : backtrace->frames.size();
}

int geckoprof_backtrace_frame(const geckoprof_backtrace* backtrace, size_t index, geckoprof_frame* frame) {
  if (index >= geckoprof_backtrace_size(backtrace)) return GECKOPROF_OUT_OF_RANGE;
  const bool written = SizedStruct<geckoprof_frame>::Write(backtrace->frames.frame(index), kLeastFrameBytes, frame);
  return written ? GECKOPROF_DONE : GECKOPROF_OUT_OF_RANGE;
}
