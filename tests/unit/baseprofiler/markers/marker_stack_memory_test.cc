#include "markers/marker_stack_memory.h"

#include <catch2/catch.hpp>
#include <vector>

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

TEST_CASE("the limits") {
  MarkerStackMemory& memory = *MarkerStackMemory::New();
  const Frames most(MarkerStackMemory::kMostFrames, {0x10, 0});
  memory.Note(most, Bytes(MarkerStackMemory::kMostBytes, 7));
  CHECK(WrittenFor(memory, most).size() == MarkerStackMemory::kMostBytes);
  memory.Note(most, Bytes(MarkerStackMemory::kMostBytes + 1, 7));
  CHECK(WrittenFor(memory, most).empty());
}

}  // namespace
}  // namespace geckoprof
