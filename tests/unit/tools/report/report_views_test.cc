#include "tools/report/report_views.h"

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {
namespace {

TEST_CASE("views by name, each a table even of nothing") {
  CHECK_FALSE(ReportViewNamed("functions").has_value());
  CHECK_FALSE(ReportViewNamed("").has_value());
  const std::string names = ReportViewNames();
  CHECK(names ==
        "function|file|library|category|thread|process|marker|marker-type|startup|allocation|io|wait|lock|loop|"
        "overhead");
  const ProfileModel model;
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find('|', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const std::optional<ReportView> view = ReportViewNamed(name);
    REQUIRE(view.has_value());
    CHECK(ReportViewName(*view) == name);
    const ReportTable table = MakeReportTable(model, {}, *view, 20, false);
    CHECK(table.rows.empty());
    CHECK_FALSE(table.columns.empty());
    begin = end + 1;
  }
  CHECK(NeedsDetail(ReportView::kFile));
  CHECK_FALSE(NeedsDetail(ReportView::kFunction));
}

TEST_CASE("a table of events says what it lacks, and why") {
  ProfileModel model;
  const auto notes_of = [&model](ReportView view) { return MakeReportTable(model, {}, view, 20, false).notes.size(); };
  const size_t plain = notes_of(ReportView::kAllocation), plain_io = notes_of(ReportView::kIo);
  model.strings = {"Allocations are not recorded"};
  CHECK(notes_of(ReportView::kAllocation) == plain + 1);
  model.sections = {{"program", {{"Lost: recycled-chunk", "3", ProfileSection::Entry::Kind::kNumber}}}};
  CHECK(notes_of(ReportView::kAllocation) == plain + 2);
  CHECK(notes_of(ReportView::kIo) == plain_io + 1);
  CHECK(notes_of(ReportView::kFunction) == 0);
  model.sections = {{"program", {{"Features", "cpu"}}},
                    {"other", {{"Not as asked", std::string(kMissingHooksProblem) + "fileio"}}}};
  const ReportTable table = MakeReportTable(model, {}, ReportView::kIo, 20, false);
  CHECK(table.notes.back() == "Not recorded, because libgeckoprofiler_hooks.so is not in the process: fileio.");
  CHECK(notes_of(ReportView::kFunction) == 0);
}

TEST_CASE("rows that count as nothing are told of in every view") {
  ProfileModel model;
  model.processes = {{"1", "", 0}};
  model.threads.resize(1);
  model.threads[0].samples = {{1, 1, -1, kNoRow}, {2, 0, -1, kNoRow}};
  for (const ReportView view : {ReportView::kFunction, ReportView::kThread, ReportView::kAllocation}) {
    const ReportTable table = MakeReportTable(model, Summarize(model, {}), view, 20, false);
    REQUIRE_FALSE(table.notes.empty());
    CHECK(table.notes.back().starts_with("1 row"));
  }
}

}  // namespace
}  // namespace geckoprof
