// A real segment for tests, in a directory of its own that goes with it.
#ifndef GECKOPROF_TESTS_SUPPORT_TEST_SEGMENT_H_
#define GECKOPROF_TESTS_SUPPORT_TEST_SEGMENT_H_

#include <cstdint>
#include <string>

#include "geckoprof/segment/segment.h"

namespace geckoprof {

class TestSegment {
 public:
  // Creates the segment and prepares `prepared_chunks` of its chunks. kPreparedOnly: it has no more than those, so that
  // writing comes to the limit.
  enum class Size : uint8_t { kWhole, kPreparedOnly };
  explicit TestSegment(uint64_t capacity_bytes = uint64_t{1} << 20, uint32_t prepared_chunks = 4,
                       Size size = Size::kWhole);
  ~TestSegment();
  TestSegment(const TestSegment&) = delete;
  TestSegment& operator=(const TestSegment&) = delete;

  Segment& segment() { return segment_; }
  const std::string& directory() const { return directory_; }
  std::string path() const { return segment_.path(); }
  uint64_t drops(DropReason reason) const {
    return segment_.header().drops[static_cast<uint32_t>(reason)].load(std::memory_order_relaxed);
  }

 private:
  std::string directory_;
  Segment segment_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_TEST_SEGMENT_H_
