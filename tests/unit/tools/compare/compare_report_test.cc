#include "tools/compare/compare_report.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("rows have as many cells as the tables have columns") {
  std::vector<RunFigures> before(4), after(4);
  for (RunFigures& run : before) run.functions[{"f", "l"}].self_share = 0.1;
  for (RunFigures& run : after) {
    run.functions[{"f", "l"}].self_share = 0.5;
    run.markers["m"] = {1, 2, 2};
  }
  const Comparison comparison(before, after);
  const ReportTable functions = ChangedFunctions(comparison, 9, 0.05);
  REQUIRE(functions.rows.size() == 1);
  REQUIRE(functions.rows[0].size() == functions.columns.size());
  CHECK(functions.rows[0][2].number == Approx(0.4));
  CHECK(functions.rows[0][2].tone == ReportTable::Tone::kBad);
  CHECK(functions.rows[0][3].number == Approx(2 / 70.));
  CHECK_FALSE(functions.rows[0][8].is_known);  // no CPU times
  const ReportTable markers = ChangedMarkers(comparison, 9, 0.01);
  REQUIRE(markers.rows.size() == 1);
  REQUIRE(markers.rows[0].size() == markers.columns.size());
  CHECK(markers.rows[0][2].tone == ReportTable::Tone::kPlain);  // not as significant as that
  CHECK(ChangedFunctions(comparison, 0, 0.05).all_rows == 1);
}

CompareSubject Subject(size_t runs) {
  CompareSubject subject;
  for (size_t i = 0; i < runs; ++i) {
    subject.before_files.push_back("a\x1b");
    subject.after_files.push_back("b");
    subject.before.emplace_back().functions[{"f\x1b[2J", "l"}].self_share = 0.1;
    subject.after.emplace_back().functions[{"f\x1b[2J", "l"}].self_share = 0.3;
    subject.before.back().samples = subject.after.back().samples = 10;
    subject.before.back().functions[{"same", ""}].self_share = 0.1;
    subject.after.back().functions[{"same", ""}].self_share = 0.1;
  }
  subject.budgets.push_back(*Budget::Parse("self:same>+5%"));
  return subject;
}

TEST_CASE("one run a side: no p, and it is said") {
  const std::string text = WriteCompareText(Subject(1), {});
  CHECK(text.find("One run a side") != std::string::npos);
  CHECK(text.find("+20.0 %") != std::string::npos);
  CHECK(text.find("f?[2J  [l]") != std::string::npos);
  CHECK(text.find("\x1b") == std::string::npos);
  CHECK(text.find("same\n") == std::string::npos);  // did not change
  CHECK(text.find("kept") != std::string::npos);
  CHECK(WriteCompareJson(Subject(1)).find("\"leastP\": null") != std::string::npos);
}

TEST_CASE("several runs: p, and how small it can be") {
  CHECK(WriteCompareText(Subject(3), {}).find("never give less than 0.100") != std::string::npos);
  const std::string text = WriteCompareText(Subject(5), {80, true});
  CHECK(text.find("never give") == std::string::npos);
  CHECK(text.find("0.008") != std::string::npos);
  const std::string json = WriteCompareJson(Subject(5));
  CHECK(json.find("\"selfP\": 0.0079") != std::string::npos);
  CHECK(json.find("\"isExceeded\": false") != std::string::npos);
  CHECK(json.find("\x1b") == std::string::npos);
}

TEST_CASE("what is not known is null, and no dash is a value") {
  CompareSubject subject = Subject(2);
  subject.budgets = {*Budget::Parse("cpu>+3%")};
  subject.before[0].has_cpu_times = subject.before[1].has_cpu_times = true;
  subject.before[0].cpu_ms = subject.before[1].cpu_ms = 7;
  subject.after[0].has_cpu_times = true;
  const std::string json = WriteCompareJson(subject);
  CHECK(json.find("\"cpuMsBefore\": 7") != std::string::npos);
  CHECK(json.find("\"cpuMsAfter\": null") != std::string::npos);
  CHECK(json.find("\"cpuMsP\": null") != std::string::npos);
  const std::string budgets = json.substr(json.find("\"budgets\""));
  for (const char* part : {"\"isKnown\": false", "\"before\": null", "\"after\": null", "\"p\": null"}) {
    CHECK(budgets.find(part) != std::string::npos);
  }
  CHECK(WriteCompareText(subject, {}).find("NOT MEASURED") != std::string::npos);
  subject.after[1].has_cpu_times = true;
  CHECK(WriteCompareJson(subject).find("\"cpuMsAfter\": 0") != std::string::npos);
  CHECK(WriteCompareText(subject, {}).find("kept") != std::string::npos);
}

TEST_CASE("a change that rounds to nothing has no minus") {
  CompareSubject subject = Subject(1);
  subject.after[0].functions[{"same", ""}].self_share = 0.0999;
  const std::string text = WriteCompareText(subject, {});
  CHECK(text.find("-0.0 %") == std::string::npos);
  CHECK(text.find("+0.0 %") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
