#include "segment_tables.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("the tables begin with the root") {
  ProcessProfile profile;
  SegmentTables tables(&profile);
  REQUIRE(profile.frames.size() == 1);
  CHECK(profile.frames[0].kind == FrameKind::kRoot);
  REQUIRE(profile.stacks.size() == 1);
  CHECK(profile.stacks[0].prefix == kNone);
  CHECK(profile.stacks[0].frame == 0);
}

TEST_CASE("equal strings, frames and stacks have one row; rows are given in order of first use") {
  ProcessProfile profile;
  SegmentTables tables(&profile);
  for (int round = 0; round < 2; ++round) {
    for (int32_t i = 0; i < 1000; ++i) {
      REQUIRE(tables.String("text " + std::to_string(i)) == i);
      FrameRow frame;
      frame.address = static_cast<uint64_t>(i) * 16;
      REQUIRE(tables.Frame(frame) == i + 1);
      REQUIRE(tables.Stack(i, i + 1) == i + 1);
    }
  }
  CHECK(profile.strings.size() == 1000);
  CHECK(profile.frames.size() == 1001);
  CHECK(profile.stacks.size() == 1001);
  CHECK(profile.strings[7] == "text 7");
  CHECK(profile.stacks[7].prefix == 6);
}

TEST_CASE("texts that are written alike are one string") {
  ProcessProfile profile;
  SegmentTables tables(&profile);
  CHECK(tables.String("a\xff") == 0);
  CHECK(tables.String("a\xfe") == 0);
  CHECK(tables.String("a\xef\xbf\xbd") == 0);
  CHECK(tables.String("a") == 1);
  REQUIRE(profile.strings.size() == 2);
  CHECK(profile.strings[0] == "a\xef\xbf\xbd");
  CHECK(profile.strings[1] == "a");
}

TEST_CASE("tables: a text of a marker has a row of its own, repaired as others are, bytes stay as they are") {
  ProcessProfile profile;
  SegmentTables tables(&profile);
  CHECK(tables.String("same") == 0);
  CHECK(tables.Text("same") == 1);
  CHECK(tables.Text("a\xff") == 2);
  CHECK(profile.strings[2] == "a\xef\xbf\xbd");
  const uint8_t bytes[] = {0xff, 0};
  CHECK(tables.Bytes(bytes) == 3);
  CHECK(profile.strings[3] == std::string_view("\xff\0", 2));
  CHECK(tables.String("same") == 0);
}

TEST_CASE("tables: names of markers have one row each, until there are very many") {
  ProcessProfile profile;
  SegmentTables tables(&profile);
  const int32_t first = tables.Name("name");
  for (int i = 0; i < 100'000; ++i) tables.Name("name " + std::to_string(i));
  CHECK(tables.Name("name") == first);
  CHECK(tables.Name("name 7") == 8);
  const auto rows = profile.strings.size();
  CHECK(tables.Name("name 99999") == static_cast<int32_t>(rows));
  CHECK(profile.strings[rows] == "name 99999");
}

TEST_CASE("frames that differ in anything are different rows") {
  ProcessProfile profile;
  SegmentTables tables(&profile);
  const FrameRow base{FrameKind::kLabel, 1, 2, 3, 4, 5};
  const int32_t row = tables.Frame(base);
  FrameRow changed[6] = {base, base, base, base, base, base};
  changed[0].kind = FrameKind::kReason;
  changed[1].address = 9;
  changed[2].library = kNone;
  changed[3].text = INT32_MAX;  // no arithmetic on it may overflow
  changed[4].category = kNone;
  changed[5].subcategory = kNone;
  for (int i = 0; i < 6; ++i) CHECK(tables.Frame(changed[i]) == row + 1 + i);
  CHECK(tables.Frame(base) == row);
}

}  // namespace
}  // namespace geckoprof
