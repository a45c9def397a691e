// A MarkerWriter for tests, which nobody calls through the library, and sites for its markers.
#ifndef GECKOPROF_TESTS_SUPPORT_TEST_MARKER_WRITER_H_
#define GECKOPROF_TESTS_SUPPORT_TEST_MARKER_WRITER_H_

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/segment/leb128.h"

namespace geckoprof {

class TestMarkerWriter : public MarkerWriter {
 public:
  static constexpr uintptr_t kCallerSp = 0x7000;

  // Sites without a name, which WriteSites puts into the segment's metadata. The markers of the second have a text.
  static constexpr uint32_t kPlainSite = 101;
  static constexpr uint32_t kTextSite = 102;
  static void WriteSites(const Segment& segment, uint32_t category_pair = 0x100) {
    StreamWriter metadata(&segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    uint8_t room[256];
    EntryBuilder type(EntryType::kMarkerType, room);
    type.U(100).U(0).T("Text").T("").T("").T("").T("").T("").U(0);
    type.U(1).T("name").T("").T("string").U(static_cast<uint64_t>(MarkerFieldWire::kString)).U(0).U(0).U(0);
    metadata.Append(type.bytes(), 1);
    for (const uint32_t id : {kPlainSite, kTextSite}) {
      EntryBuilder site(EntryType::kMarkerSite, room);
      site.U(id).U(category_pair).U(id == kTextSite ? 100 : 0).U(0).T("");
      metadata.Append(site.bytes(), 1);
    }
  }
  static TimedMarker Named(std::string_view name, uint32_t phase, uint64_t start, uint64_t time) {
    TimedMarker marker;
    marker.site = kPlainSite;
    marker.name = name;
    marker.phase = phase;
    marker.start = start;
    marker.time = time;
    return marker;
  }

  // A whole marker. False: it was dropped.
  bool Append(const Segment* segment, ThreadId writer, const TimedMarker& marker,
              std::span<const uint8_t> payload = {}) {
    if (!Enter(segment)) return false;
    uint8_t* const to = Begin(writer, marker, payload.size());
    if (to == nullptr) {
      Exit();
      return false;
    }
    if (!payload.empty()) std::memcpy(to, payload.data(), payload.size());
    Commit();
    return true;
  }
  bool PutText(const Segment* segment, ThreadId writer, TimedMarker marker, std::string_view text) {
    marker.site = kTextSite;
    std::string payload(kMaxLeb128Bytes, '\0');
    auto* const begin = reinterpret_cast<uint8_t*>(payload.data());
    payload.resize(static_cast<size_t>(WriteUleb128(text.size(), begin) - begin));
    payload += text;
    return Append(segment, writer, marker, {reinterpret_cast<const uint8_t*>(payload.data()), payload.size()});
  }
  bool Enter(const Segment* segment) { return MarkerWriter::Enter(segment, kCallerSp); }
  uint8_t* TryBegin(const Segment* segment, uint64_t site, uint32_t phase, uint64_t start, uint64_t time,
                    size_t payload_bytes) {
    const auto flags = static_cast<uint8_t>(phase | (phase == kMarkerIsInterval ? 0 : kMarkerHasOneTime));
    return MarkerWriter::TryBegin(segment, site, flags, start, time, static_cast<uint32_t>(payload_bytes), kCallerSp);
  }
  // A whole marker without a payload.
  bool TryPut(const Segment* segment, uint64_t site, uint32_t phase, uint64_t start, uint64_t time) {
    if (TryBegin(segment, site, phase, start, time, 0) == nullptr) return false;
    Commit();
    return true;
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_TEST_MARKER_WRITER_H_
