#include "screenshots/screenshots.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "baseprofiler/detail/category_pairs.h"
#include "baseprofiler/marker_abi.h"
#include "geckoprof/segment/leb128.h"
#include "threads/thread_base_link.h"

namespace geckoprof {
namespace {

// The viewer knows the type and its fields.
constexpr geckoprof_marker_field kFields[] = {
    {"url", nullptr, "unique-string", GECKOPROF_FIELD_STRING, 0},
    {"windowID", nullptr, "string", GECKOPROF_FIELD_STRING, 0},
    {"windowWidth", nullptr, "integer", GECKOPROF_FIELD_INT64, 0},
    {"windowHeight", nullptr, "integer", GECKOPROF_FIELD_INT64, 0},
};
consteval geckoprof_marker_type MakeType() {
  geckoprof_marker_type type = {};
  type.size_bytes = sizeof(type);
  type.flags = GECKOPROF_TYPE_NO_SCHEMA;
  type.name = "CompositorScreenshot";
  type.fields = kFields;
  type.field_count = sizeof(kFields) / sizeof(*kFields);
  return type;
}
constinit geckoprof_marker_type g_type = MakeType();
constinit geckoprof_marker_site g_site = {sizeof(geckoprof_marker_site), GECKOPROF_CATEGORY_GRAPHICS,
                                          "CompositorScreenshot", &g_type, 0};

constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char* AppendText(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

char* AppendBase64(char* at, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) *at++ = k <= count ? kBase64[bits >> (18 - 6 * k) & 63] : '=';
  }
  return at;
}

char* AppendLength(char* at, size_t length) {
  return reinterpret_cast<char*>(WriteUleb128(length, reinterpret_cast<uint8_t*>(at)));
}

char* AppendNumber(char* at, int64_t number) {
  std::memcpy(at, &number, sizeof number);
  return at + sizeof number;
}

bool IsWhatItSays(const Screenshots::Image& image) {
  constexpr std::string_view kPng("\x89PNG\r\n\x1a\n", 8), kJpeg("\xff\xd8\xff", 3);
  if (image.mime == "image/png") return image.bytes.starts_with(kPng);
  return image.mime == "image/jpeg" && image.bytes.starts_with(kJpeg);
}

ProfilerStatus Drop(const char* reason) {
  ThreadBaseLink::Current().MarkNow("Screenshot dropped", reason);
  return ProfilerStatus::kBadArgument;
}

}  // namespace

ProfilerStatus Screenshots::Add(const Image& image, int64_t now_ns) {
  const ThreadBaseLink& base = ThreadBaseLink::Current();
  constexpr uint32_t kRecordsMarkers = 1;  // in the states 1 and 3
  if (base.state == nullptr || (base.state() & kRecordsMarkers) == 0) return ProfilerStatus::kInactive;
  if (!IsWhatItSays(image)) return Drop("neither PNG nor JPEG, or not what its type says");
  if (image.width == 0 || image.height == 0) return Drop("no pixels");
  char head[48];
  const int head_bytes =
      std::snprintf(head, sizeof head, "data:%.*s;base64,", static_cast<int>(image.mime.size()), image.mime.data());
  if (image.bytes.size() > kMostUrlBytes) return Drop("too large");
  const size_t url_bytes = static_cast<size_t>(head_bytes) + (image.bytes.size() + 2) / 3 * 4;
  if (url_bytes > kMostUrlBytes) return Drop("too large");
  int64_t last_ns = last_ns_.load(std::memory_order_relaxed);
  if (now_ns - last_ns < kLeastIntervalNs ||
      !last_ns_.compare_exchange_strong(last_ns, now_ns, std::memory_order_relaxed)) {
    too_often_.fetch_add(1, std::memory_order_relaxed);
    return ProfilerStatus::kUnchanged;
  }
  char window[24];
  const int window_bytes = std::snprintf(window, sizeof window, "%" PRIu64, image.window);
  const std::unique_ptr<char[]> payload(new (std::nothrow) char[url_bytes + 64]);
  if (payload == nullptr) return ProfilerStatus::kNoMemory;
  char* end = AppendLength(payload.get(), url_bytes);
  end = AppendText(end, {head, static_cast<size_t>(head_bytes)});
  end = AppendBase64(end, image.bytes);
  end = AppendLength(end, static_cast<size_t>(window_bytes));
  end = AppendText(end, {window, static_cast<size_t>(window_bytes)});
  end = AppendNumber(end, image.width);
  end = AppendNumber(end, image.height);
  const geckoprof_piece piece = {payload.get(), static_cast<uint64_t>(end - payload.get())};
  if (base.Mark(g_site, GECKOPROF_MARKER_INSTANT, piece) != GECKOPROF_MARKED) return ProfilerStatus::kNoSegment;
  if (const uint32_t dropped = too_often_.exchange(0, std::memory_order_relaxed); dropped > 0) {
    char text[48];
    std::snprintf(text, sizeof text, "%" PRIu32 " within 100 ms of another", dropped);
    base.MarkNow("Screenshot dropped", text);
  }
  return ProfilerStatus::kDone;
}

}  // namespace geckoprof
