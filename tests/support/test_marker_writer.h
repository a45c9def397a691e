// A MarkerWriter for tests that are nobody's callee.
#ifndef GECKOPROF_TESTS_SUPPORT_TEST_MARKER_WRITER_H_
#define GECKOPROF_TESTS_SUPPORT_TEST_MARKER_WRITER_H_

#include "geckoprof/entries/marker_writer.h"

namespace geckoprof {

class TestMarkerWriter : public MarkerWriter {
 public:
  static constexpr uintptr_t kCallerSp = 0x7000;

  using MarkerWriter::Put;
  bool Put(const Segment* segment, ThreadId writer, const PlainMarker& marker, int64_t now_ns) {
    if (!Enter(segment)) return false;
    const bool put = Put(writer, marker, now_ns);
    Exit();
    return put;
  }
  bool Enter(const Segment* segment) { return MarkerWriter::Enter(segment, kCallerSp); }
  bool TryPut(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t end) {
    return MarkerWriter::TryPut(segment, site, flags, start, end, kCallerSp);
  }
  uint8_t* TryBegin(const Segment* segment, uint64_t site, uint8_t flags, uint64_t start, uint64_t end,
                    size_t payload_bytes) {
    return MarkerWriter::TryBegin(segment, site, flags, start, end, payload_bytes, kCallerSp);
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_TEST_MARKER_WRITER_H_
