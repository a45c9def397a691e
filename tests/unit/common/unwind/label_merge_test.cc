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

TEST_CASE("a label of another stack stands beside the label before it, and none is lost") {
  const std::vector<UnwoundFrame> native = {{2, 200}, {1, 300}};
  CHECK(Merged(native, {{350, "a"}, {150, "waits lower"}, {210, "b"}}) == "1 a waits lower 2 b ");
  CHECK(Merged(native, {{350, "a"}, {9000, "waits higher"}, {210, "b"}}) == "1 a waits higher 2 b ");
  CHECK(Merged(native, {{150, "waits lower"}, {350, "a"}}) == "waits lower 1 a 2 ");
  CHECK(Merged({}, {{300, "a"}, {100, "b"}}) == "a b ");
  CHECK(Merged({}, {}).empty());
  CHECK(Merged(native, {}) == "1 2 ");
}

TEST_CASE("labels out of order stay in their own order") {
  const std::vector<UnwoundFrame> native = {{3, 100}, {2, 200}, {1, 300}};
  CHECK(Merged(native, {{120, "a"}, {350, "b"}}) == "1 2 3 a b ");
}

}  // namespace
}  // namespace geckoprof
