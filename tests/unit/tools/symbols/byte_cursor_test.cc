#include "tools/symbols/byte_cursor.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("numbers one after the other, and nothing behind the end") {
  const uint8_t bytes[] = {0x05, 0xe5, 0x8e, 0x26, 0x34, 0x12, 0x80};
  ByteCursor cursor(bytes, 0);
  CHECK(cursor.Uleb() == 5);
  CHECK(cursor.Uleb() == 624485);
  CHECK(cursor.Fixed(2) == 0x1234);
  CHECK(cursor.is_sound());
  CHECK(cursor.Uleb() == 0);  // does not end
  CHECK_FALSE(cursor.is_sound());
  CHECK(cursor.Fixed(1) == 0);
  CHECK(cursor.AtEnd());
}

TEST_CASE("a position or a size outside is refused") {
  const uint8_t bytes[] = {1, 2, 3};
  CHECK_FALSE(ByteCursor(bytes, 4).is_sound());
  CHECK_FALSE(ByteCursor(bytes, UINT64_MAX).is_sound());
  ByteCursor cursor(bytes, 1);
  cursor.Skip(UINT64_MAX);
  CHECK_FALSE(cursor.is_sound());
}

TEST_CASE("a number of more than 64 bits keeps the lower ones") {
  const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  ByteCursor cursor(bytes, 0);
  CHECK(cursor.Uleb() == UINT64_MAX);
  CHECK(cursor.is_sound());
}

TEST_CASE("signed numbers") {
  const uint8_t bytes[] = {0x02, 0x7e, 0xff, 0x00, 0x80, 0x7f, 0x80, 0x80, 0x80,
                           0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f, 0xff};
  ByteCursor cursor(bytes, 0);
  CHECK(cursor.Sleb() == 2);
  CHECK(cursor.Sleb() == -2);
  CHECK(cursor.Sleb() == 127);
  CHECK(cursor.Sleb() == -128);
  CHECK(cursor.Sleb() == INT64_MIN);
  CHECK(cursor.is_sound());
  CHECK(cursor.Sleb() == 0);  // does not end
  CHECK_FALSE(cursor.is_sound());
}

TEST_CASE("texts up to their zero") {
  const uint8_t bytes[] = {'a', 'b', 0, 0, 'c'};
  ByteCursor cursor(bytes, 0);
  CHECK(cursor.Text() == "ab");
  CHECK(cursor.Text().empty());
  CHECK(cursor.is_sound());
  CHECK(cursor.Text().empty());  // does not end
  CHECK_FALSE(cursor.is_sound());
  CHECK(ByteCursor(bytes, UINT64_MAX).Text().empty());
}

}  // namespace
}  // namespace geckoprof
