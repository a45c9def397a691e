#include "tools/report/view_report.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a view as JSON says what it is of") {
  ProfileSummary summary;
  summary.samples = 3;
  const std::string text = WriteViewJson({}, ReportView::kMarkerType, summary, "a\x1b.json");
  CHECK(text.find("\"file\": \"a?.json\"") != std::string::npos);
  CHECK(text.find("\"by\": \"marker-type\"") != std::string::npos);
  CHECK(text.find("\"samples\": 3") != std::string::npos);
  CHECK(text.find("\"rows\": []") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
