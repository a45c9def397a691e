#include "geckoprof/modules/cfi_reader.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace geckoprof;

namespace {

struct Outcome {
  bool ok;
  uint64_t value;
  size_t rest;
};

Outcome Read(std::vector<uint8_t> bytes, uint8_t encoding, PointerBases bases = {0x1000, 0x2000}) {
  CfiReader reader(bytes.data(), bytes.size());
  uint64_t value = 0;
  const bool ok = ReadPointer(reader, encoding, bases, value);
  return {ok, value, reader.remaining()};
}

}  // namespace

TEST_CASE("every format is read with its size and sign") {
  CHECK(Read({1, 2, 3, 4, 5, 6, 7, 8}, 0x00).value == 0x0807060504030201);
  CHECK(Read({0x80, 0x01}, 0x01).value == 128);
  CHECK(Read({0xff, 0xff}, 0x02).value == 0xffff);
  CHECK(Read({0xff, 0xff, 0xff, 0xff}, 0x03).value == 0xffffffff);
  CHECK(Read({0x7f}, 0x09).value == ~uint64_t{0});
  CHECK(Read({0xff, 0xff}, 0x0a).value == ~uint64_t{0});
  CHECK(Read({0xfe, 0xff, 0xff, 0xff}, 0x0b).value == ~uint64_t{0} - 1);
  CHECK(Read({0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 0x0c).value == ~uint64_t{0} - 1);
  CHECK(Read({1, 0, 0, 0, 9}, 0x03).rest == 1);
}

TEST_CASE("bases are added") {
  CHECK(Read({0xf0, 0xff, 0xff, 0xff}, 0x1b).value == 0xff0);
  CHECK(Read({0x10, 0, 0, 0}, 0x3b).value == 0x2010);
  CHECK_FALSE(Read({0x10, 0, 0, 0}, 0x3b, {0x1000, 0}).ok);
}

TEST_CASE("what has no meaning or is cut is refused") {
  CHECK_FALSE(Read({1, 2, 3, 4}, kPointerOmit).ok);
  CHECK_FALSE(Read({1, 2, 3, 4}, 0x9b).ok);
  CHECK_FALSE(Read({1, 2, 3, 4}, 0x4b).ok);
  CHECK_FALSE(Read({1, 2, 3, 4}, 0x05).ok);
  CHECK_FALSE(Read({1, 2, 3}, 0x0b).ok);
  CHECK_FALSE(Read({}, 0x01).ok);
}

TEST_CASE("an indirect pointer is passed over by its size") {
  const uint8_t bytes[] = {1, 2, 3, 4, 5};
  CfiReader reader(bytes, sizeof bytes);
  REQUIRE(SkipPointer(reader, 0x9b));
  CHECK(reader.remaining() == 1);
  CHECK(SkipPointer(reader, kPointerOmit));
  CHECK_FALSE(SkipPointer(reader, 0x9b));
}

TEST_CASE("LEB128 of any length stays inside its bytes") {
  const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
  CfiReader reader(endless, sizeof endless);
  CHECK(reader.Uleb() == 0);
  CHECK_FALSE(reader.ok());
  const uint8_t minus[] = {0x80, 0x7f, 0xff};
  CfiReader other(minus, sizeof minus);
  CHECK(other.Sleb() == -128);
  CHECK(other.Sleb() == 0);
  CHECK_FALSE(other.ok());
  const uint8_t largest[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  CfiReader third(largest, sizeof largest);
  CHECK(third.Uleb() == ~uint64_t{0});
}
