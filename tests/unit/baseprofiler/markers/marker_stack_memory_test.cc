#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/entries/chunk_stacks.h"
#include "markers/captured_stack.h"

namespace geckoprof {
namespace {

using Frames = std::vector<UnwoundFrame>;
using Bytes = std::vector<uint8_t>;

// The bytes of a stack that begins with no memory.
Bytes WrittenAnew(const Frames& frames, const AddressRange& own = {}) {
  Bytes bytes(4096);
  EntryBuilder field{std::span(bytes)};
  uint64_t caller = 0;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (!own.Contains(frame->address - 1)) caller = AppendNativeFrame(frame->address, caller, field);
  }
  bytes.resize(field.bytes().size());
  return bytes;
}

Bytes Write(MarkerStackMemory& memory, const Frames& frames, const AddressRange& own = {}) {
  const auto written = memory.Write(frames, own);
  REQUIRE(written.has_value());
  const auto is_own = [&](const UnwoundFrame& frame) { return own.Contains(frame.address - 1); };
  CHECK(written->frame_count == frames.size() - static_cast<size_t>(std::ranges::count_if(frames, is_own)));
  CHECK(memory.frame_count() == frames.size());
  return {written->bytes.begin(), written->bytes.end()};
}

TEST_CASE("a stack has its bytes, whichever stack came before it") {
  MarkerStackMemory& memory = *MarkerStackMemory::New();  // never given back
  const Frames stacks[] = {
      {{0x3000, 16}, {0x2000, 32}, {0x1000, 48}},
      {{0x3001, 16}, {0x2000, 32}, {0x1000, 48}},
      {{0x3000, 16}, {0x2001, 32}, {0x1000, 48}},
      {{0x3000, 16}, {0x2000, 32}, {0x1001, 48}},
      {{0x2000, 32}, {0x1000, 48}},
      {},
      {{0x1000, 48}},
      {{0x7f1234567890, 8}, {0x3000, 16}, {0x2000, 32}, {0x1000, 48}},
  };
  const AddressRange owns[] = {{}, {0x1000 - 1, 0x1000}, {0x2000 - 1, 0x2000}, {0x3000 - 1, 0x3000}};
  for (const AddressRange& own : owns) {
    memory.Forget();
    for (const Frames& before : stacks) {
      for (const Frames& stack : stacks) {
        Write(memory, before, own);
        CHECK(Write(memory, stack, own) == WrittenAnew(stack, own));
      }
    }
  }
}

TEST_CASE("of the recording before nothing is remembered") {
  MarkerStackMemory& memory = *MarkerStackMemory::New();
  const Frames frames = {{0x3000, 16}};
  const std::vector<uint64_t> words(8);
  const StackView stack{reinterpret_cast<const uint8_t*>(words.data()), 0x7000, 8 * words.size()};
  const auto walk = [&] {
    memory.walks().Begin(stack, 0x7000, 1);
    const bool is_known = memory.walks().Seek(0x7000) != memory.walks().last_end();
    memory.walks().Note({0x1000, 0x7010, 0, CompactRule::FromKind(CompactRule::kStart)});
    memory.walks().End();
    return is_known;
  };
  memory.BeginIn(1);
  Write(memory, frames);
  CHECK_FALSE(walk());
  memory.BeginIn(1);
  CHECK(memory.frame_count() == 1);
  CHECK(walk());
  memory.BeginIn(2);
  CHECK(memory.frame_count() == 0);
  CHECK_FALSE(walk());
  CHECK(walk());
}

TEST_CASE("a stack with too many bytes is not written, and the next one is") {
  MarkerStackMemory& memory = *MarkerStackMemory::New();
  Frames most;
  for (size_t i = 0; i < MarkerStackMemory::kMaxFrames; ++i) most.push_back({0x1000 + i, 0});
  CHECK(Write(memory, most) == WrittenAnew(most));
  for (size_t i = 0; i < MarkerStackMemory::kMaxFrames; i += 2) most[i].address = 0x1ff'ffff'ffff'ffff;
  REQUIRE(WrittenAnew(most).size() > MarkerStackMemory::kMaxBytes);
  CHECK_FALSE(memory.Write(most, {}).has_value());
  most.resize(MarkerStackMemory::kMaxFrames / 2);
  CHECK(Write(memory, most) == WrittenAnew(most));
}

}  // namespace
}  // namespace geckoprof
