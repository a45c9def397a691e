#include "tools/compare/compare_tables.h"

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

}  // namespace
}  // namespace geckoprof
