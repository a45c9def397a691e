#ifndef GECKOPROF_HOOKS_RUNTIME_HOOK_MARKER_H_
#define GECKOPROF_HOOKS_RUNTIME_HOOK_MARKER_H_

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// A marker type with these fields. Other members are 0, and the caller sets those that it wants.
template <size_t kCount>
consteval geckoprof_marker_type MakeHookMarkerType(const char* name, const geckoprof_marker_field (&fields)[kCount]) {
  geckoprof_marker_type type = {};
  type.size_bytes = sizeof(type);
  type.name = name;
  type.fields = fields;
  type.field_count = kCount;
  return type;
}

consteval geckoprof_marker_site MakeHookMarkerSite(const char* name, geckoprof_marker_type* type,
                                                   uint32_t category_pair) {
  geckoprof_marker_site site = {};
  site.size_bytes = sizeof(site);
  site.category_pair = category_pair;
  site.name = name;
  site.type = type;
  return site;
}

inline geckoprof_marker_options HookIntervalOptions(geckoprof_time start, geckoprof_time end) {
  geckoprof_marker_options options = {};
  options.size_bytes = sizeof(options);
  options.flags = GECKOPROF_MARKER_INTERVAL;
  options.start = start;
  options.time = end;
  return options;
}

// The same with the stack of the calling function, without its innermost frames.
inline geckoprof_marker_options HookIntervalOptions(geckoprof_time start, geckoprof_time end, uint32_t skipped_frames) {
  geckoprof_marker_options options = HookIntervalOptions(start, end);
  options.flags |= GECKOPROF_MARKER_WITH_STACK;
  options.skipped_frames = skipped_frames;
  return options;
}

// HookPayload: the fields of a marker, in their order. The caller knows that kBytes is enough.
//
// Threads: one. Context: any.
template <size_t kBytes>
class HookPayload {
 public:
  HookPayload& Text(std::string_view text) {
    size_t rest = text.size();
    for (; rest >= 128; rest >>= 7) Byte(static_cast<uint8_t>(rest | 128));
    Byte(static_cast<uint8_t>(rest));
    return Bytes(text.data(), text.size());
  }
  HookPayload& Number(uint64_t number) { return Bytes(&number, sizeof(number)); }
  HookPayload& Byte(uint8_t byte) { return Bytes(&byte, 1); }
  // Returns false if the marker was not recorded.
  bool AddTo(geckoprof_marker_site& site, const geckoprof_marker_options& options) const {
    const geckoprof_piece piece = {bytes_, size_};
    return geckoprof_base_add_marker(&site, &options, &piece, 1) == GECKOPROF_MARKED;
  }

 private:
  HookPayload& Bytes(const void* from, size_t size) {
    if (size != 0) memcpy(bytes_ + size_, from, size);
    size_ += size;
    return *this;
  }

  size_t size_ = 0;
  uint8_t bytes_[kBytes];
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_RUNTIME_HOOK_MARKER_H_
