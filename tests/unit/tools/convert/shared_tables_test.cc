#include "tools/convert/shared_tables.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("each row is there once") {
  SharedTables tables;
  CHECK(tables.AddFunc({tables.String("f")}) == 0);
  CHECK(tables.AddFunc({tables.String("g")}) == 1);
  CHECK(tables.AddFunc({tables.String("f")}) == 0);
  SharedTables::Frame frame;
  frame.func = 0;
  CHECK(tables.AddFrame(frame) == 0);
  frame.line = 5;
  CHECK(tables.AddFrame(frame) == 1);
  frame.inline_depth = 1;
  CHECK(tables.AddFrame(frame) == 2);
  CHECK(tables.AddFrame(frame) == 2);
  CHECK(tables.AddStack(-1, 0) == 0);
  CHECK(tables.AddStack(0, 0) == 1);
  CHECK(tables.AddStack(-1, 0) == 0);
  const int32_t lib = tables.AddLib({"", "a.so", "", "", "", "", ""});
  CHECK(tables.LibResource(lib) == tables.LibResource(lib));
  CHECK(tables.resources()[0].type == SharedTables::kLibraryResource);
}

TEST_CASE("strings from elsewhere keep their numbers, even where one is there twice") {
  SharedTables tables({"a", "b", "a"});
  CHECK(tables.String("b") == 1);
  CHECK(tables.String("a") == 0);
  CHECK(tables.String("c") == 3);
  CHECK(tables.String("c") == 3);
  CHECK(tables.String("d") == 4);
}

}  // namespace
}  // namespace geckoprof
