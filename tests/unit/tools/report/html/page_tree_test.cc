#include "tools/report/html/page_tree.h"

#include <catch2/catch.hpp>

#include "page_model.h"

namespace geckoprof {
namespace {

TEST_CASE("stacks of the same functions are one node, and (root) is none") {
  const ProfileModel model = PageModel();
  const PageTree tree(model, {0, 0, 0, 1, 0, 1}, 100);
  REQUIRE(tree.nodes().size() == 4);
  CHECK(tree.nodes()[0].parent == kNoRow);
  CHECK(tree.nodes()[0].function == 1);
  CHECK(tree.nodes()[2].parent == 1);
  CHECK(tree.NodeOf(0) == kNoRow);
  CHECK(tree.NodeOf(kNoRow) == kNoRow);
  CHECK(tree.NodeOf(1) == tree.NodeOf(4));
  CHECK(tree.NodeOf(3) == 2);
  CHECK(tree.nodes()[static_cast<size_t>(tree.NodeOf(5))].function == 3);
  CHECK(tree.folded_nodes() == 0);
}

TEST_CASE("what nothing ends in or below is not in the tree") {
  const PageTree tree(PageModel(), {0, 0, 1, 0, 0, 0}, 100);
  CHECK(tree.nodes().size() == 2);
  CHECK(tree.NodeOf(3) == kNoRow);
  CHECK(tree.NodeOf(5) == kNoRow);
}

TEST_CASE("the lightest nodes become their callers") {
  const PageTree tree(PageModel(), {0, 0, 5, 1, 0, 3}, 3);
  CHECK(tree.nodes().size() == 3);
  CHECK(tree.folded_nodes() == 1);
  CHECK(tree.NodeOf(3) == tree.NodeOf(2));
  for (size_t i = 0; i < tree.nodes().size(); ++i) CHECK(tree.nodes()[i].parent < static_cast<int32_t>(i));

  const PageTree bush(PageModel(), {0, 0, 5, 1, 0, 3}, 0);
  CHECK(bush.nodes().empty());
  CHECK(bush.NodeOf(3) == kNoRow);
}

}  // namespace
}  // namespace geckoprof
