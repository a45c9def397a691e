#include "geckoprof/entries/chunk_stacks.h"

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

StackFrame Native(uint64_t address) { return {StackFrameKind::kNative, address, 0, {}}; }

uint32_t AddAll(ChunkStacks& stacks, const std::vector<StackFrame>& frames) {
  const ChunkStacks::Match match = stacks.Find(frames);
  if (match.frames == frames.size()) return match.node;
  std::vector<uint8_t> room(ChunkStacks::MaxBytes(frames));
  EntryBuilder entry(EntryType::kStack, room);
  const uint32_t node = stacks.Add(match.node, std::span(frames).subspan(match.frames), entry);
  CHECK(entry.fits());
  return node;
}

TEST_CASE("what stacks have in common is stored once") {
  ChunkStacks stacks;
  REQUIRE(stacks.ok());
  stacks.Begin();
  CHECK(AddAll(stacks, {Native(10), Native(20), Native(30)}) == 3);
  CHECK(AddAll(stacks, {Native(10), Native(20), Native(40)}) == 4);
  CHECK(AddAll(stacks, {Native(10), Native(20), Native(30)}) == 3);
  CHECK(AddAll(stacks, {Native(10), Native(20)}) == 2);
  const std::vector<StackFrame> longer = {Native(10), Native(20), Native(30), Native(50)};
  const ChunkStacks::Match match = stacks.Find(longer);
  CHECK(match.node == 3);
  CHECK(match.frames == 3);
}

TEST_CASE("a frame is more than its address") {
  ChunkStacks stacks;
  stacks.Begin();
  const StackFrame label{StackFrameKind::kInlineLabel, 0, 0x100, "load"};
  const StackFrame other_text{StackFrameKind::kInlineLabel, 0, 0x100, "save"};
  const StackFrame other_category{StackFrameKind::kInlineLabel, 0, 0x200, "load"};
  CHECK(AddAll(stacks, {Native(10), label}) == 2);
  CHECK(AddAll(stacks, {Native(10), other_text}) == 3);
  CHECK(AddAll(stacks, {Native(10), other_category}) == 4);
  CHECK(AddAll(stacks, {Native(10), {StackFrameKind::kReason, 10, 0, {}}}) == 5);
  CHECK(AddAll(stacks, {Native(10), label}) == 2);
}

TEST_CASE("a new chunk knows nothing of the last one") {
  ChunkStacks stacks;
  stacks.Begin();
  AddAll(stacks, {Native(10), Native(20)});
  stacks.Begin();
  const std::vector<StackFrame> frames = {Native(10)};
  CHECK(stacks.Find(frames).frames == 0);
  CHECK(AddAll(stacks, frames) == 1);
}

TEST_CASE("what goes through a forgotten range is new, the rest is known") {
  ChunkStacks stacks;
  stacks.Begin();
  CHECK(AddAll(stacks, {Native(10), Native(20), Native(30)}) == 3);
  CHECK(AddAll(stacks, {Native(10), Native(40)}) == 4);
  stacks.Forget({20, 30});
  CHECK(AddAll(stacks, {Native(10), Native(40)}) == 4);
  CHECK(AddAll(stacks, {Native(10), Native(20), Native(30)}) == 6);
  CHECK(AddAll(stacks, {Native(10), Native(20), Native(30)}) == 6);
  stacks.Forget({20, 30});
  CHECK(AddAll(stacks, {Native(10), Native(20)}) == 7);
}

TEST_CASE("the table says when it is full, and holds as much as it says") {
  ChunkStacks stacks;
  stacks.Begin();
  uint64_t address = 1;
  while (stacks.CanAdd(1)) AddAll(stacks, {Native(address++)});
  CHECK(address > 16'000);
  const std::vector<StackFrame> first = {Native(1)};
  CHECK(stacks.Find(first).node == 1);
}

}  // namespace
}  // namespace geckoprof
