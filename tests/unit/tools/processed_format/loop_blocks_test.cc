#include "tools/processed_format/loop_blocks.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

MarkerRow Block(int64_t start_ns, int64_t end_ns, int32_t type) {
  MarkerRow marker;
  marker.phase = MarkerPhase::kInterval;
  marker.start_ns = start_ns;
  marker.end_ns = end_ns;
  marker.type = type;
  return marker;
}

TEST_CASE("the delay grows within a block, and is 0 outside") {
  ProcessProfile process;
  process.marker_types.resize(2);
  process.marker_types[1].name = "LoopBlocked";
  ThreadRow thread;
  thread.markers = {Block(300, 400, 1), Block(100, 200, 1), Block(0, 1000, 0)};
  const std::vector<LoopBlock> blocks = FindLoopBlocks(process, thread);
  REQUIRE(blocks.size() == 2);
  CHECK(DelayNs(blocks, 50) == 0);
  CHECK(DelayNs(blocks, 100) == 0);
  CHECK(DelayNs(blocks, 199) == 99);
  CHECK(DelayNs(blocks, 200) == 0);
  CHECK(DelayNs(blocks, 399) == 99);
  CHECK(DelayNs(blocks, 500) == 0);
}

TEST_CASE("a thread without blocks is no loop") {
  const ProcessProfile process;
  ThreadRow thread;
  thread.markers = {Block(100, 200, 0)};
  CHECK(FindLoopBlocks(process, thread).empty());
}

}  // namespace
}  // namespace geckoprof
