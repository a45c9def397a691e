#include "geckoprof/unwind/label_merge.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

struct Label {
  uint64_t stack_address;
  std::string text;
};

std::string Merged(const std::vector<UnwoundFrame>& native, const std::vector<Label>& labels, StackRange outer = {},
                   uint64_t missing_from = UINT64_MAX) {
  std::string out;
  MergeLabels(
      std::span<const UnwoundFrame>(native), std::span<const Label>(labels),
      [&](size_t i) { out += std::to_string(native[i].address) + " "; },
      [&](const Label& label) { out += label.text + " "; }, outer, missing_from);
  return out;
}

TEST_CASE("labels of the stack that a coroutine was resumed from come before its frames") {
  const std::vector<UnwoundFrame> native = {{3, 100}, {2, 200}};
  CHECK(Merged(native, {{950, "main"}, {910, "resume"}, {210, "b"}, {120, "c"}}, {900, 1000}) ==
        "main resume 2 b 3 c ");
  CHECK(Merged(native, {{950, "main"}, {910, "resume"}, {210, "b"}}) == "2 main resume b 3 ");
  CHECK(Merged({}, {{950, "main"}, {120, "c"}}, {900, 1000}) == "main c ");
}

TEST_CASE("labels of frames that are missing, since the copy ends below them, come before those that are there") {
  const std::vector<UnwoundFrame> native = {{3, 100}, {2, 200}};
  CHECK(Merged(native, {{950, "main"}, {410, "a"}, {210, "b"}, {120, "c"}}, {900, 1000}, 400) == "main a 2 b 3 c ");
  CHECK(Merged(native, {{400, "a"}, {399, "b"}}, {}, 400) == "a 2 b 3 ");
}

TEST_CASE("a label comes behind the frame that its address lies in") {
  const std::vector<UnwoundFrame> native = {{3, 100}, {2, 200}, {1, 300}};  // innermost first
  CHECK(Merged(native, {{350, "a"}, {210, "b"}, {120, "c"}}) == "1 a 2 b 3 c ");
  CHECK(Merged(native, {{310, "a"}, {300, "b"}, {299, "c"}}) == "1 a b 2 c 3 ");
}

TEST_CASE("none is lost: those below the innermost frame, and those of a stack without native frames") {
  const std::vector<UnwoundFrame> native = {{2, 200}, {1, 300}};
  CHECK(Merged(native, {{150, "below"}, {1, "far below"}}) == "1 2 below far below ");
  CHECK(Merged({}, {{300, "a"}, {100, "b"}}) == "a b ");
  CHECK(Merged({}, {}).empty());
  CHECK(Merged(native, {}) == "1 2 ");
}

TEST_CASE("labels out of order stay in their own order") {
  const std::vector<UnwoundFrame> native = {{3, 100}, {2, 200}, {1, 300}};
  CHECK(Merged(native, {{120, "a"}, {350, "b"}}) == "1 2 3 a b ");
}

struct OpenLabel {
  uint64_t stack_address;
  uint32_t origin;
  std::string text;
};

// A label of a call that returns to an address; which code opened it does not matter here.
OpenLabel Of(uint64_t stack_address, uint64_t returns_to, const char* text) {
  return {stack_address, static_cast<uint32_t>(returns_to) << 16 | 0x1234, text};
}

std::string Kept(const std::vector<UnwoundFrame>& native, std::vector<OpenLabel> labels) {
  labels.resize(DropLabelsOfOtherCalls(std::span<const UnwoundFrame>(native), std::span<OpenLabel>(labels)));
  std::string out;
  for (const OpenLabel& label : labels) out += label.text + " ";
  return out;
}

TEST_CASE("a label of a call that returned elsewhere than the frame that has taken its place is dropped") {
  // The innermost returns to 0x7f0000022002, the one before it to 0x7f0000011001.
  const std::vector<UnwoundFrame> native = {{0x5, 100}, {0x7f0000022002, 200}, {0x7f0000011001, 300}};
  CHECK(Kept(native, {Of(210, 0x7f0000011001, "b"), Of(120, 0x7f0000022002, "c")}) == "b c ");
  CHECK(Kept(native, {Of(210, 0x7f0000011001, "b"), Of(120, 0x7f0000022003, "left"), Of(110, 0x22002, "c")}) == "b c ");
  CHECK(Kept(native, {Of(299, 0x9000, "left"), Of(200, 0x9000, "left, too"), Of(199, 0x2002, "c")}) == "c ");
  CHECK(Kept(native, {}).empty());
}

TEST_CASE("where it is not known who a label is of, it stays") {
  const std::vector<UnwoundFrame> native = {{0x5, 100}, {0x22002, 200}, {0x11001, 300}};
  CHECK(Kept(native, {Of(300, 0x9000, "in the outermost"), Of(99, 0x9000, "below")}) == "in the outermost below ");
  CHECK(Kept(native, {{120, 0, "of unknown origin"}}) == "of unknown origin ");
  CHECK(Kept({}, {Of(120, 0x9000, "no frames")}) == "no frames ");
  // A handler's stack within a frame: which of the frames at an address a label is of, that does not say.
  const std::vector<UnwoundFrame> handler = {{0x5, 250}, {0x22002, 260}, {0x33003, 100}, {0x11001, 300}};
  CHECK(Kept(handler, {Of(120, 0x9000, "a"), Of(255, 0x22002, "of the handler")}) == "a of the handler ");
}

}  // namespace
}  // namespace geckoprof
