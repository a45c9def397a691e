#include <catch2/catch.hpp>
#include <vector>

#include "markers/captured_stack.h"

namespace geckoprof {
namespace {

using Frames = std::vector<UnwoundFrame>;
using Bytes = std::vector<uint8_t>;

Bytes WrittenFor(const MarkerStackMemory& memory, const Frames& frames) {
  const auto bytes = memory.WrittenFor(frames);
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("what was written for the last stack is there for the same one, and for no other") {
  MarkerStackMemory& memory = *MarkerStackMemory::New();  // never given back
  const Frames frames = {{0x3000, 16}, {0x2000, 32}, {0x1000, 48}};
  CHECK(WrittenFor(memory, frames).empty());
  memory.Note(frames, Bytes{1, 2, 3});
  CHECK(WrittenFor(memory, frames) == Bytes{1, 2, 3});
  CHECK(WrittenFor(memory, {{0x3000, 16}, {0x2001, 32}, {0x1000, 48}}).empty());
  CHECK(WrittenFor(memory, {{0x3000, 16}, {0x2000, 32}}).empty());
  memory.Note({{{0x3000, 16}}}, Bytes{4});
  CHECK(WrittenFor(memory, frames).empty());
  CHECK(WrittenFor(memory, {{0x3000, 16}}) == Bytes{4});
  memory.Forget();
  CHECK(WrittenFor(memory, {{0x3000, 16}}).empty());
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
  memory.Note(frames, Bytes{1});
  CHECK_FALSE(walk());
  memory.BeginIn(1);
  CHECK(WrittenFor(memory, frames) == Bytes{1});
  CHECK(walk());
  memory.BeginIn(2);
  CHECK(WrittenFor(memory, frames).empty());
  CHECK_FALSE(walk());
  CHECK(walk());
}

TEST_CASE("the limits") {
  MarkerStackMemory& memory = *MarkerStackMemory::New();
  const Frames most(MarkerStackMemory::kMaxFrames, {0x10, 0});
  memory.Note(most, Bytes(MarkerStackMemory::kMaxBytes, 7));
  CHECK(WrittenFor(memory, most).size() == MarkerStackMemory::kMaxBytes);
  memory.Note(most, Bytes(MarkerStackMemory::kMaxBytes + 1, 7));
  CHECK(WrittenFor(memory, most).empty());
}

}  // namespace
}  // namespace geckoprof
