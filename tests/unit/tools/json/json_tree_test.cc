#include "tools/json/json_tree.h"

#include <catch2/catch.hpp>
#include <string>

#include "tools/json/json_tree_builder.h"

namespace geckoprof {
namespace {

TEST_CASE("a walk over an object's bytes meets each key and value once") {
  JsonTree tree;
  JsonTreeBuilder builder(&tree);
  builder.StartContainer();
  const auto key = [&](const std::string& name) { builder.Key(name); };
  key("null"), builder.Null();
  key("true"), builder.Bool(true);
  for (const int64_t number : {int64_t{5}, int64_t{-5}, int64_t{300}, int64_t{1} << 20, int64_t{1} << 40}) {
    key("integer"), builder.Integer(number);
  }
  key("double"), builder.Double(0.5);
  key("short"), builder.String("x");
  key("long"), builder.String(std::string(300, 'x'));
  const auto array = [&](const std::string& text) {
    builder.StartContainer();
    builder.String(text);
    REQUIRE(builder.EndArray(1));
  };
  key("array"), array("");
  key(std::string(65, 'k')), array(std::string(300, 'y'));
  key("last"), builder.Bool(false);
  REQUIRE(builder.EndObject(13));
  builder.Finish();
  REQUIRE(tree.root()[0] == static_cast<uint8_t>(JsonTag::kFar));
  const uint8_t* at = tree.Far(NumberAt<uint32_t>(tree.root() + 1)) + 5;
  std::string keys;
  for (int i = 0; i < 13; ++i, at = JsonTree::Skip(at)) keys += std::string(tree.TakeKey(&at)) + " ";
  CHECK(keys ==
        "null true integer integer integer integer integer double short long array " + std::string(65, 'k') + " last ");
  CHECK(at == tree.root());  // the root comes last
}

}  // namespace
}  // namespace geckoprof
