#include <catch2/catch.hpp>

#include "geckoprof/entries/chunk_stacks.h"

namespace geckoprof {
namespace {

struct Put {
  explicit Put(const StackFrame& frame, uint64_t caller = 0) : address(AppendStackFrame(frame, caller, field)) {}
  uint8_t room[64];
  EntryBuilder field{std::span<uint8_t>(room)};
  uint64_t address;
};

TEST_CASE("a native frame is the distance from its caller's") {
  const Put up({StackFrameKind::kNative, 0x1010, 0, {}}, 0x1000);
  CHECK(up.address == 0x1010);
  REQUIRE(up.field.bytes().size() == 2);
  const Put down({StackFrameKind::kNative, 0xff8, 0, {}}, 0x1000);
  Leb128Reader reader(down.field.bytes());
  const uint64_t word = reader.Uleb();
  CHECK((word & 3) == 0);
  CHECK(FromZigzag(word >> 2) == -8);
}

TEST_CASE("what is not native leaves the address for the next one as it was, and takes no more than it says") {
  for (const StackFrame& frame :
       {StackFrame{StackFrameKind::kLabel, 5, 0x100, {}}, StackFrame{StackFrameKind::kReason, 67, 0, {}},
        StackFrame{StackFrameKind::kInlineLabel, 0, 0x300, "a label"}}) {
    const Put put(frame, 0x1234);
    CHECK(put.address == 0x1234);
    CHECK(put.field.fits());
    CHECK(put.field.bytes().size() <= MaxStackFrameBytes(frame));
    CHECK((put.field.bytes()[0] & 3) == static_cast<uint8_t>(frame.kind));
  }
}

TEST_CASE("what does not fit is said not to") {
  uint8_t room[6];
  EntryBuilder field{std::span<uint8_t>(room)};
  AppendStackFrame({StackFrameKind::kInlineLabel, 0, 0, "longer than that"}, 0, field);
  CHECK_FALSE(field.fits());
}

}  // namespace
}  // namespace geckoprof
