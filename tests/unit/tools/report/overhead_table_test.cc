#include "tools/report/overhead_table.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

ProfileOverhead Overhead(int32_t process, double sampler_ms) {
  ProfileOverhead overhead;
  overhead.process = process;
  overhead.looks = 200;
  overhead.upkeep.total_us = 1000;
  overhead.counters.total_us = 2000;
  overhead.threads.total_us = 3000;
  overhead.lateness_us.assign(200, 10);
  overhead.lateness_us[7] = 500;
  overhead.lateness_us[70] = 400;
  overhead.lateness_us[170] = 100;
  overhead.sampler_ms = sampler_ms;
  overhead.handler_ms = 2;
  overhead.recording_ms = 1000;
  return overhead;
}

ProfileModel Model() {
  ProfileModel model;
  model.processes = {{"1", "one", 0}, {"2", "two", 0}};
  model.duration_ms = 2000;
  model.overheads = {Overhead(0, 8), Overhead(1, 18)};
  return model;
}

double Number(const ReportTable& table, size_t row, std::string_view key) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return table.rows[row][i].number;
  }
  FAIL("no column " << key);
  return 0;
}

TEST_CASE("the table has all processes, and then each, with the most first") {
  const ReportTable table = OverheadTable(Model(), 20);
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0].back().text == "all processes");
  CHECK(table.rows[1].back().text == "two");
  CHECK(Number(table, 0, "share") == 0.015);
  CHECK(Number(table, 0, "samplerMs") == 26);
  CHECK(Number(table, 0, "looks") == 400);
  CHECK(Number(table, 1, "share") == 0.02);
  CHECK(Number(table, 2, "share") == 0.01);
  CHECK(Number(table, 2, "upkeepMs") == 1);
  CHECK(Number(table, 2, "sourcesMs") == 2);
  CHECK(Number(table, 2, "threadsMs") == 3);
  CHECK(OverheadTable(Model(), 1).rows.size() == 2);
  CHECK(OverheadTable(Model(), 1).all_rows == 3);
}

TEST_CASE("the lateness has a mean, a 99th percentile and a maximum") {
  const ReportTable table = OverheadTable(Model(), 20);
  CHECK(Number(table, 2, "lateMeanMs") == Approx(0.01485));
  CHECK(Number(table, 2, "lateP99Ms") == Approx(0.1));
  CHECK(Number(table, 2, "lateMaxMs") == Approx(0.5));
}

TEST_CASE("a file of Firefox has phases alone, and another one says nothing") {
  ProfileModel model = Model();
  model.overheads.resize(1);
  model.overheads[0].sampler_ms.reset();
  model.overheads[0].lateness_us.clear();
  const ReportTable table = OverheadTable(model, 20);
  REQUIRE(table.rows.size() == 1);
  CHECK_FALSE(table.rows[0][0].is_known);
  CHECK(OverheadText(model).empty());
  model.overheads.clear();
  CHECK(OverheadTable(model, 20).rows.empty());
  CHECK(OverheadTable(model, 20).notes.size() == 1);
  CHECK(OverheadText(model).empty());
}

TEST_CASE("the line of the report has the share, its parts and the lateness") {
  CHECK(OverheadText(Model()) ==
        "1.5 % of a core: sampler 26.0 ms, signal handlers 4.0 ms; looks late by 14.8 us on average, 500.0 us at most");
}

TEST_CASE("a longer interval is told once, with the number of other processes") {
  ProfileModel model = Model();
  CHECK(LongerIntervalText(model).empty());
  const std::string text = std::string(kLongerIntervalProblem) + "8 ms";
  model.sections = {{"one", {{"Not as asked", text}}}, {"two", {{"Not as asked", text}, {"other", "x"}}}};
  CHECK(LongerIntervalText(model) == text + ", and so in 1 other process");
}

}  // namespace
}  // namespace geckoprof
