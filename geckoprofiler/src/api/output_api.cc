// geckoprofiler/c/geckoprof_output.h.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "capture/own_profile.h"
#include "capture/stack_capture.h"
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

ProfilerOutcome WriteProfile(const geckoprof::JsonSink& sink) {
  return ApiCall::Answer([&sink] {
    NotifyGenerating();
    return WriteOwnProfile(FullProfiler::Get().base(), sink);
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
  const auto save = [file_name]() -> ProfilerOutcome {
    if (file_name == nullptr) return {ProfilerStatus::kBadArgument, "a file name is needed"};
    NotifyGenerating();
    return SaveOwnProfile(FullProfiler::Get().base(), file_name);
  };
  return AnswerC(ApiCall::Answer(save), detail, detail_bytes);
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
  ProfilerOutcome outcome = WriteProfile({add, &into});
  if (into.no_memory) outcome = {ProfilerStatus::kNoMemory, {}};
  if (outcome) {
    if (json_bytes != nullptr) *json_bytes = into.grown.size();
    *json = into.grown.Release();
  }
  return AnswerC(outcome, detail, detail_bytes);
}

void geckoprof_free_profile(char* json) { free(json); }

int geckoprof_stream_profile(geckoprof_profile_sink sink, void* user, char* detail, size_t detail_bytes) {
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
  return AnswerC(WriteProfile({write, &into}), detail, detail_bytes);
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
