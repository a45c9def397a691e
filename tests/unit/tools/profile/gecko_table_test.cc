#include "tools/profile/gecko_table.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("columns in any order, short rows, absurd positions") {
  const auto document =
      JsonDocument::Parse(R"({"schema":{"time":1,"stack":0,"far":64,"neg":-1,"text":"x"},"data":[[4,1.5],[5]]})",
                          JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const GeckoTable table(document->root());
  CHECK(table.IsTable());
  CHECK(table.rows() == 2);
  CHECK(table.Column("time") == 1u);
  CHECK(GeckoTable::Cell(table.Row(0), table.Column("time")).AsNumber() == 1.5);
  CHECK(GeckoTable::Cell(table.Row(1), table.Column("stack")).AsInteger() == 5);
  CHECK_FALSE(GeckoTable::Cell(table.Row(1), table.Column("time")).Exists());
  for (const char* name : {"far", "neg", "text", "none"}) CHECK_FALSE(table.Column(name).has_value());
  CHECK_FALSE(GeckoTable(document->root()["schema"]).IsTable());
}

}  // namespace
}  // namespace geckoprof
