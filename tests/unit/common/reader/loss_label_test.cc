#include "geckoprof/reader/loss_label.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a label says what a count counts") {
  CHECK(LossLabel("no-chunk") == "Lost: no-chunk");
  CHECK(LossLabel("signal-blocked") == "No stack: signal-blocked");
  CHECK(LossLabel("unreadable-stack") == "No stack: unreadable-stack");
  CHECK(LossLabel("answer-pending") == "Ticks without a request: answer-pending");
  CHECK(LossLabel("missed-tick") == "Ticks without a request: missed-tick");
  CHECK(LossLabel("of a later version") == "Lost: of a later version");
  for (const LossKind kind : kLossKinds) CHECK(LossPrefix(kind).ends_with(": "));
}

}  // namespace
}  // namespace geckoprof
