// geckoprofiler/c/geckoprof_output.h.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "api/guarded_call.h"
#include "geckoprof/base/sized_struct.h"
#include "geckoprofiler/c/geckoprof_output.h"
#include "geckoprofiler/profiler_backtrace.h"
#include "geckoprofiler/profiler_output.h"
#include "geckoprofiler/profiler_state.h"

using geckoprof::GuardedCall;
using geckoprof::ProfilerBacktrace;
using geckoprof::ProfilerOutcome;
using geckoprof::ProfilerStatus;

namespace {

constexpr uint32_t kLeastInfoBytes = offsetof(geckoprof_buffer_info, used_bytes);
constexpr uint32_t kLeastFrameBytes = offsetof(geckoprof_frame, label);

// Bytes for C: from malloc, and terminated.
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

const ProfilerBacktrace& Of(const geckoprof_backtrace* backtrace) {
  return *reinterpret_cast<const ProfilerBacktrace*>(backtrace);
}

}  // namespace

int geckoprof_save_profile(const char* file_name, char* detail, size_t detail_bytes) {
  const auto save = [file_name]() -> ProfilerOutcome {
    if (file_name == nullptr) return {ProfilerStatus::kBadArgument, {}};
    return profiler_save_profile(file_name);
  };
  return GuardedCall::Run(save, detail, detail_bytes);
}

int geckoprof_get_profile(char** json, size_t* json_bytes, char* detail, size_t detail_bytes) {
  if (json != nullptr) *json = nullptr;
  if (json_bytes != nullptr) *json_bytes = 0;
  GrowingBytes grown;
  bool no_memory = false;
  const auto get = [&]() -> ProfilerOutcome {
    if (json == nullptr) return {ProfilerStatus::kBadArgument, {}};
    ProfilerOutcome outcome = profiler_stream_json_for_this_process([&](std::string_view piece) {
      no_memory = !grown.Add(piece);
      return !no_memory;
    });
    return no_memory ? ProfilerOutcome{ProfilerStatus::kNoMemory, {}} : outcome;
  };
  const int status = GuardedCall::Run(get, detail, detail_bytes);
  if (status != GECKOPROF_DONE) return status;
  if (json_bytes != nullptr) *json_bytes = grown.size();
  *json = grown.Release();
  return status;
}

void geckoprof_free_profile(char* json) { free(json); }

int geckoprof_stream_profile(geckoprof_profile_sink sink, void* user, char* detail, size_t detail_bytes) {
  const auto stream = [sink, user]() -> ProfilerOutcome {
    if (sink == nullptr) return {ProfilerStatus::kBadArgument, {}};
    return profiler_stream_json_for_this_process(
        [sink, user](std::string_view piece) { return sink(user, piece.data(), piece.size()) != 0; });
  };
  return GuardedCall::Run(stream, detail, detail_bytes);
}

int geckoprof_get_buffer_info(geckoprof_buffer_info* info) {
  return GuardedCall::Run([info]() -> ProfilerOutcome {
    const auto found = profiler_get_buffer_info();
    if (!found.has_value()) return {ProfilerStatus::kInactive, {}};
    geckoprof_buffer_info filled = GECKOPROF_BUFFER_INFO;
    filled.capacity_bytes = found->capacity_bytes;
    filled.used_bytes = found->used_bytes;
    filled.samples_taken = found->samples_taken;
    filled.entries_dropped = found->entries_dropped;
    const bool written = geckoprof::SizedStruct<geckoprof_buffer_info>::Write(filled, kLeastInfoBytes, info);
    return {written ? ProfilerStatus::kDone : ProfilerStatus::kBadArgument, {}};
  });
}

double geckoprof_get_time_ms(void) { return profiler_time(); }

geckoprof_backtrace* geckoprof_capture_backtrace(void) {
  ProfilerBacktrace* captured = nullptr;
  (void)GuardedCall::Run([&captured] {
    captured = profiler_capture_backtrace().release();
    return ProfilerOutcome{};
  });
  return reinterpret_cast<geckoprof_backtrace*>(captured);
}

void geckoprof_free_backtrace(geckoprof_backtrace* backtrace) {
  if (backtrace != nullptr) delete &Of(backtrace);
}

size_t geckoprof_backtrace_size(const geckoprof_backtrace* backtrace) {
  return backtrace == nullptr ? 0 : Of(backtrace).size();
}

int geckoprof_backtrace_frame(const geckoprof_backtrace* backtrace, size_t index, geckoprof_frame* frame) {
  if (index >= geckoprof_backtrace_size(backtrace)) return GECKOPROF_OUT_OF_RANGE;
  const ProfilerBacktrace::Frame found = Of(backtrace).frame(index);
  const geckoprof_frame filled = {sizeof(filled), found.category_pair, found.address, found.label.data(),
                                  found.label.size()};
  return geckoprof::SizedStruct<geckoprof_frame>::Write(filled, kLeastFrameBytes, frame) ? GECKOPROF_DONE
                                                                                         : GECKOPROF_OUT_OF_RANGE;
}
