#include "stack_reader.h"

#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/entries/chunk_stacks.h"
#include "tests/support/read_back.h"

namespace geckoprof {
namespace {

struct Reading {
  Reading() { profile.libraries = {{0x1000, 0x2000, 0, "a.so", "", 10, 20}, {0x1000, 0x2000, 0, "b.so", "", 30, 0}}; }
  // One frame below the root.
  int32_t LibraryOf(uint64_t address, int64_t exact_ns) {
    StackReader reader(&profile, &tables, &metadata);
    reader.MoveTo(0, 100, 100);
    uint8_t room[32];
    EntryBuilder field{std::span<uint8_t>(room)};
    AppendStackFrame({StackFrameKind::kNative, address, 0, {}}, 0, field);
    Leb128Reader bytes(field.bytes());
    StackReader::Node node;
    REQUIRE(reader.ReadFrame(bytes, node, exact_ns));
    CHECK(node.address == address);
    return profile.frames[static_cast<size_t>(profile.stacks[static_cast<size_t>(node.stack)].frame)].library;
  }
  ProcessProfile profile;
  SegmentTables tables{&profile};
  MetadataReader metadata{&profile, &tables};
};

TEST_CASE("an address is in the library that was there at the time; in the last one of all, if it is not known") {
  CHECK(Reading().LibraryOf(0x1500, 15) == 0);
  CHECK(Reading().LibraryOf(0x1500, 35) == 1);
  CHECK(Reading().LibraryOf(0x1500, 25) == 1);  // noticed later than it was used
  CHECK(Reading().LibraryOf(0x1500, StackReader::kAnyTime) == 1);
  CHECK(Reading().LibraryOf(0x2000, 35) == kNone);
}

TEST_CASE("frames are read to the end of what is there, and not beyond") {
  Reading reading;
  StackReader reader(&reading.profile, &reading.tables, &reading.metadata);
  StackReader::Node node;
  const std::vector<uint8_t> cut_label = {40 << 2 | 3, 'x'};
  Leb128Reader label(cut_label);
  CHECK_FALSE(reader.ReadFrame(label, node));
  Leb128Reader nothing(std::span<const uint8_t>{});
  CHECK_FALSE(reader.ReadFrame(nothing, node));
  const std::vector<uint8_t> reason = {0x8e, 0x02};
  Leb128Reader why(reason);  // 67 << 2 | 2
  CHECK(reader.ReadFrame(why, node));
  CHECK(StackText(reading.profile, node.stack).find("blocks the profiler") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
