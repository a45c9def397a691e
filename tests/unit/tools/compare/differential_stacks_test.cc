#include "tools/compare/differential_stacks.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("each path once, with both counts") {
  std::vector<RunFigures> before(2), after(1);
  before[0].stacks = {{"main;b", 2}, {"main", 1}};
  before[1].stacks = {{"main;b", 3.4}};
  after[0].stacks = {{"main;c", 7}, {"main", 1}};
  CHECK(WriteDifferentialStacks(before, after) == "main 1 1\nmain;b 5 0\nmain;c 0 7\n");
  CHECK(WriteDifferentialStacks({}, {}).empty());
}

}  // namespace
}  // namespace geckoprof
