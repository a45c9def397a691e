#include "geckoprof/segment/leb128.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("every size from 1 to 10 bytes comes back as it was written") {
  for (size_t bytes = 1; bytes <= 10; ++bytes) {
    const uint64_t smallest = bytes == 1 ? 0 : uint64_t{1} << (7 * (bytes - 1));
    const uint64_t largest = bytes == 10 ? UINT64_MAX : (uint64_t{1} << (7 * bytes)) - 1;
    for (const uint64_t value : {smallest, largest, smallest + (largest - smallest) / 2}) {
      uint8_t room[kMaxLeb128Bytes] = {};
      const uint8_t* const end = WriteUleb128(value, room);
      CHECK(static_cast<size_t>(end - room) == bytes);
      CHECK(Uleb128Bytes(value) == bytes);
      Leb128Reader reader({room, bytes});
      CHECK(reader.Uleb() == value);
      CHECK(reader.ok());
      CHECK(reader.remaining() == 0);
    }
  }
}

TEST_CASE("zigzag keeps sign and magnitude") {
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, INT64_MIN, INT64_MAX, int64_t{-123456}}) {
    CHECK(FromZigzag(ToZigzag(value)) == value);
  }
  CHECK(ToZigzag(-1) == 1);
  CHECK(ToZigzag(1) == 2);
}

TEST_CASE("a number that is cut off or too long is a failure, for good") {
  const std::vector<uint8_t> cut = {0x80, 0x80};
  Leb128Reader reader(cut);
  CHECK(reader.Uleb() == 0);
  CHECK_FALSE(reader.ok());
  CHECK(reader.Byte() == 0);
  CHECK(reader.Bytes(0).empty());

  const std::vector<uint8_t> too_long(11, 0x80);
  Leb128Reader second(too_long);
  second.Uleb();
  CHECK_FALSE(second.ok());

  const std::vector<uint8_t> too_large = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  Leb128Reader third(too_large);
  third.Uleb();
  CHECK_FALSE(third.ok());
}

TEST_CASE("bytes are taken off, and never more than there are") {
  const std::vector<uint8_t> bytes = {1, 2, 3};
  Leb128Reader reader(bytes);
  CHECK(reader.Bytes(2).size() == 2);
  CHECK(reader.Bytes(2).empty());
  CHECK_FALSE(reader.ok());
}

TEST_CASE("the fast way writes the same bytes") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const uint64_t value : {uint64_t{1} << bit, (uint64_t{1} << bit) - 1, (uint64_t{1} << bit) + 1}) {
      uint8_t slow[kMaxLeb128Bytes] = {}, fast[kMaxLeb128Bytes] = {};
      const auto bytes = static_cast<size_t>(WriteUleb128(value, slow) - slow);
      CHECK(static_cast<size_t>(WriteUleb128Fast(value, fast) - fast) == bytes);
      CHECK(std::equal(slow, slow + bytes, fast));
    }
  }
}

}  // namespace
}  // namespace geckoprof
