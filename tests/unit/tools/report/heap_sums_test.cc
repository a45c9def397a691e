#include "tools/report/heap_sums.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("stacks that allocated the most come first, whatever became of the blocks") {
  ProfileModel model;
  model.strings = {"keep", "drop"};
  model.functions = {{0, kNoRow}, {1, kNoRow}};
  model.stacks = {{kNoRow, 0, 0, kNoRow}, {kNoRow, 1, 0, kNoRow}};
  model.processes = {{"1", "", 0}};
  ProfileThread& thread = model.threads.emplace_back();
  thread.allocations = {
      {1, 300, 16, 0}, {2, 250, 32, 1}, {3, -250, 32, kNoRow}, {4, 250, 48, 1}, {5, -250, 48, kNoRow}};
  const ReportTable table = AllocationTable(model, 10);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0][5].text == "drop");
  CHECK(table.rows[0][1].number == 500);
  CHECK(table.rows[0][3].number == 250);
  CHECK(table.rows[0][4].number == 0);
  CHECK(table.rows[1][5].text == "keep");
  CHECK(table.rows[1][4].number == 300);
  REQUIRE(table.notes.size() == 2);
  CHECK(table.notes[0] == "Stacks that allocated the most bytes come first.");
}

}  // namespace
}  // namespace geckoprof
