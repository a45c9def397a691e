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

std::string Merged(const std::vector<UnwoundFrame>& native, const std::vector<Label>& labels) {
  std::string out;
  MergeLabels(
      std::span<const UnwoundFrame>(native), std::span<const Label>(labels),
      [&](size_t i) { out += std::to_string(native[i].address) + " "; },
      [&](const Label& label) { out += label.text + " "; });
  return out;
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

}  // namespace
}  // namespace geckoprof
