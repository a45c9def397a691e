#include "geckoprof/unwind/last_walks.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace geckoprof;

namespace {

constexpr uint64_t kStack = 0x7ffe00000000;
constexpr size_t kStackBytes = 64 * 1024;

StackView View(uint64_t sp) {
  static const std::vector<uint8_t> bytes(kStackBytes);
  return {bytes.data(), sp, bytes.size()};
}

WalkedFrame Frame(uint64_t sp) { return {0x400000 + sp, sp, 0, {CompactRule::kFromSp, 1, -1, CompactRule::kNotSaved}}; }

void Walk(LastWalks& walks, uint64_t sp, size_t count, uint32_t generation = 1) {
  walks.Begin(View(sp), sp, generation);
  for (size_t i = 0; i < count; ++i) walks.Note(Frame(sp + 16 * i));
  walks.End();
}

// The sps of the last walk, from `sp` on.
size_t CountFrom(LastWalks& walks, uint64_t begin, uint64_t sp, uint32_t generation = 1) {
  walks.Begin(View(begin), begin, generation);
  const WalkedFrame* frame = walks.Seek(sp);
  const auto count = static_cast<size_t>(walks.last_end() - frame);
  if (count != 0) CHECK((frame->sp >= sp && frame->pc == 0x400000 + frame->sp));
  for (; frame != walks.last_end(); ++frame) walks.Note(*frame);
  walks.End();
  return count;
}

}  // namespace

TEST_CASE("the last walk of a stack is there in the next one") {
  LastWalks walks;
  CHECK(CountFrom(walks, kStack, kStack) == 0);
  Walk(walks, kStack, 10);
  CHECK(CountFrom(walks, kStack, kStack) == 10);
  CHECK(CountFrom(walks, kStack, kStack + 8) == 9);
  CHECK(CountFrom(walks, kStack, kStack + 16 * 9) == 1);
  CHECK(CountFrom(walks, kStack, kStack + 16 * 9 + 1) == 0);
}

TEST_CASE("a walk takes the place of the one before, and two stacks do not disturb each other") {
  LastWalks walks;
  constexpr uint64_t kOther = kStack + 0x800000;
  Walk(walks, kStack, 10);
  Walk(walks, kOther, 3);
  Walk(walks, kStack, 5);
  CHECK(CountFrom(walks, kStack, kStack) == 5);
  CHECK(CountFrom(walks, kOther, kOther) == 3);
}

TEST_CASE("as many stacks as there are slots, one beside the other; one more takes the place of the oldest") {
  LastWalks walks;
  const auto stack = [](size_t i) { return kStack + kStackBytes * i; };
  for (size_t i = 0; i < LastWalks::kStacks; ++i) Walk(walks, stack(i), 2 + i);
  for (size_t i = 0; i < LastWalks::kStacks; ++i) CHECK(CountFrom(walks, stack(i), stack(i)) == 2 + i);
  Walk(walks, stack(LastWalks::kStacks), 99);
  CHECK(CountFrom(walks, stack(LastWalks::kStacks), stack(LastWalks::kStacks)) == 99);
  CHECK(CountFrom(walks, stack(1), stack(1)) == 3);
  CHECK(CountFrom(walks, stack(0), stack(0)) == 0);
}

TEST_CASE("what was noted before a module went is forgotten") {
  LastWalks walks;
  Walk(walks, kStack, 10, 1);
  CHECK(CountFrom(walks, kStack, kStack, 2) == 0);
  Walk(walks, kStack, 10, 2);
  CHECK(CountFrom(walks, kStack, kStack, 2) == 10);
}

TEST_CASE("what was noted since a mark is forgotten, and what was passed is found again") {
  LastWalks walks;
  Walk(walks, kStack, 10);
  walks.Begin(View(kStack), kStack, 1);
  walks.Note(Frame(kStack));
  const LastWalks::Mark mark = walks.mark();
  for (uint64_t sp = kStack + 32; sp < kStack + 96; sp += 16) walks.Note(Frame(sp));
  CHECK(walks.Seek(kStack + 100) != walks.last_end());
  walks.Rewind(mark);
  const WalkedFrame* again = walks.Seek(kStack + 16);
  REQUIRE(again != walks.last_end());
  CHECK(again->sp == kStack + 16);
  walks.Note(Frame(kStack + 48));
  walks.End();
  CHECK(CountFrom(walks, kStack, kStack) == 2);
  CHECK(CountFrom(walks, kStack, kStack + 16) == 1);
}

TEST_CASE("of a deep stack the inner frames are kept; outside a walk nothing is") {
  LastWalks walks;
  walks.Note(Frame(kStack));
  walks.End();
  CHECK(walks.Seek(0) == walks.last_end());
  Walk(walks, kStack, 3 * LastWalks::kMaxFrames);
  CHECK(CountFrom(walks, kStack, kStack) == LastWalks::kMaxFrames);
}
