#include "geckoprof/entries/kept_stack.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

StackFrame Native(uint64_t address) { return {StackFrameKind::kNative, address, 0, {}}; }

std::vector<StackFrame> FramesOf(const KeptStack& stack) {
  std::vector<StackFrame> frames = {Native(99)};  // CopyTo replaces it
  stack.CopyTo(frames);
  return frames;
}

void CheckSame(const StackFrame& a, const StackFrame& b) {
  CHECK(a.kind == b.kind);
  CHECK(a.value == b.value);
  CHECK(a.category_pair == b.category_pair);
  CHECK(a.text == b.text);
}

TEST_CASE("a kept stack has all kinds of frames, and texts of its own") {
  std::string text = "a label";
  const std::vector<StackFrame> frames = {{StackFrameKind::kReason, 66, 0, {}},           Native(0x7fff'ffff'f123),
                                          {StackFrameKind::kInlineLabel, 0, 0x203, text}, Native(0x1000),
                                          {StackFrameKind::kLabel, 7, 0x102, {}},         Native(0x2000)};
  KeptStack stack;
  CHECK(FramesOf(stack).empty());
  stack.Keep(frames);
  CHECK(stack.size_bytes() == 72);
  text = "changed";
  const std::vector<StackFrame> kept = FramesOf(stack);
  REQUIRE(kept.size() == frames.size());
  text = "a label";
  for (size_t i = 0; i < frames.size(); ++i) CheckSame(kept[i], frames[i]);
  stack.Keep({});
  CHECK(FramesOf(stack).empty());
}

TEST_CASE("of a stack that is too large the innermost frames are kept, with the reason") {
  std::vector<StackFrame> frames;
  for (uint64_t i = 0; i < 4000; ++i) frames.push_back(Native(i % 2 == 0 ? 0x1000 : 0x7fff'0000'0000 + i));
  KeptStack stack;
  stack.Keep(frames);
  CHECK(stack.size_bytes() <= KeptStack::kMaxBytes);
  const std::vector<StackFrame> kept = FramesOf(stack);
  REQUIRE(kept.size() > 500);
  CheckSame(kept.front(), {StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kCopyLimit), 0, {}});
  for (size_t i = 1; i < kept.size(); ++i) CheckSame(kept[i], frames[frames.size() - kept.size() + i]);

  const std::string text(KeptStack::kMaxBytes, 'x');
  stack.Keep(std::vector<StackFrame>{{StackFrameKind::kInlineLabel, 0, 0, text}});
  REQUIRE(FramesOf(stack).size() == 1);
  CHECK(FramesOf(stack)[0].kind == StackFrameKind::kReason);
}

TEST_CASE("frames of code that has changed are replaced, and the others stay") {
  const std::string text = "label";
  KeptStack stack;
  stack.Keep(std::vector<StackFrame>{
      Native(0x1000), Native(0x5100), {StackFrameKind::kInlineLabel, 0, 3, text}, Native(0x6000)});
  stack.Forget({0x3000, 0x4000});
  CheckSame(FramesOf(stack)[1], Native(0x5100));
  stack.Forget({0x5000, 0x6000});
  const std::vector<StackFrame> kept = FramesOf(stack);
  REQUIRE(kept.size() == 4);
  CheckSame(kept[0], Native(0x1000));
  CheckSame(kept[1], {StackFrameKind::kReason, static_cast<uint64_t>(StackProblem::kCodeUnloaded), 0, {}});
  CheckSame(kept[2], {StackFrameKind::kInlineLabel, 0, 3, "label"});
  CheckSame(kept[3], Native(0x6000));
}

constexpr uint64_t kHalf = 1000;

ChunkUse Chunk(uint64_t block) { return {ChunkId::FromNumber(1), block}; }

std::vector<StackFrame> Frames(uint64_t address) { return {{StackFrameKind::kNative, address, 0, {}}}; }

TEST_CASE("a marker's stack is due when half of all chunks were begun since its chunk") {
  MarkerStackCopies copies;
  MarkerStackCopies::Copy copy;
  CHECK_FALSE(copies.RemoveDue(Chunk(0), UINT64_MAX, kHalf, copy));
  copies.Add(7, Chunk(50), Chunk(100), Frames(0x1000));
  copies.Add(8, Chunk(60), Chunk(300), Frames(0x2000));
  CHECK_FALSE(copies.RemoveDue(Chunk(900), 1099, kHalf, copy));
  CHECK_FALSE(copies.RemoveDue(Chunk(100), 5000, kHalf, copy));  // still written, so it is not recycled
  REQUIRE(copies.RemoveDue(Chunk(900), 1100, kHalf, copy));
  CHECK(copy.id == 7);
  CHECK(copy.marker.block == 50);
  std::vector<StackFrame> frames;
  copy.stack.CopyTo(frames);
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].value == 0x1000);
  CHECK_FALSE(copies.RemoveDue(Chunk(900), 1100, kHalf, copy));
  REQUIRE(copies.RemoveDue(Chunk(900), 1300, kHalf, copy));
  CHECK(copy.id == 8);
  CHECK_FALSE(copies.RemoveDue(Chunk(900), 9999, kHalf, copy));
}

TEST_CASE("there is a limit of memory for markers' stacks, and the oldest go") {
  MarkerStackCopies copies;
  std::vector<StackFrame> frames;
  for (uint64_t i = 0; i < 100; ++i) frames.push_back({StackFrameKind::kNative, i << 40, 0, {}});
  constexpr uint64_t kAdded = 5000;
  for (uint64_t id = 1; id <= kAdded; ++id) copies.Add(id, Chunk(1), Chunk(id), frames);
  MarkerStackCopies::Copy copy;
  uint64_t count = 0, last_id = 0, bytes = 0;
  while (copies.RemoveDue(Chunk(UINT64_MAX), UINT64_MAX, kHalf, copy)) {
    ++count;
    last_id = copy.id;
    bytes += sizeof(copy) + copy.stack.size_bytes();
  }
  CHECK(last_id == kAdded);
  CHECK(count < kAdded);
  CHECK(bytes <= MarkerStackCopies::kMaxBytes);
  CHECK(bytes > MarkerStackCopies::kMaxBytes * 9 / 10);
}

TEST_CASE("markers' stacks, too, forget code that has changed") {
  MarkerStackCopies copies;
  copies.Add(1, Chunk(1), Chunk(1), Frames(0x1000));
  copies.Add(2, Chunk(1), Chunk(1), Frames(0x5000));
  copies.ForgetCode({0x5000, 0x6000});
  MarkerStackCopies::Copy copy;
  std::vector<StackFrame> frames;
  for (const StackFrameKind kind : {StackFrameKind::kNative, StackFrameKind::kReason}) {
    REQUIRE(copies.RemoveDue(Chunk(9), 9999, kHalf, copy));
    copy.stack.CopyTo(frames);
    CHECK(frames.at(0).kind == kind);
  }
}

}  // namespace
}  // namespace geckoprof
