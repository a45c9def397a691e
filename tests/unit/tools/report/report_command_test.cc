#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tools/options/commands.h"
#include "tools/report/html/html_report.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return ReportMain(args);
}

TEST_CASE("exit status of report") {
  const std::string file = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";
  CHECK(Run({"report", file}) == 0);
  CHECK(Run({"report", "--json", "--top", "3", "--process", "4711", "--thread", "WORK", "--idle", file}) == 0);
  CHECK(Run({"report", "--thread", "nobody", file}) == 1);
  CHECK(Run({"report", "/nonexistent.json"}) == 1);
  CHECK(Run({"report"}) == 2);
  CHECK(Run({"report", file, "second"}) == 2);
  CHECK(Run({"report", "--top", "0", file}) == 2);
  CHECK(Run({"report", "--top", "x", file}) == 2);
  CHECK(Run({"report", "--bogus", file}) == 2);
  CHECK(Run({"report", "--help"}) == 0);
}

TEST_CASE("a page is written, or the command says in one line why not") {
  const std::string file = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";
  CHECK(Run({"report", "--html", "/dev/null", "--json", file}) == 2);
  CHECK(Run({"report", "--html", "/dev/null", "--by", "thread", file}) == 2);
  const bool has_page = HtmlPage::Built().absence.empty();
  CHECK(Run({"report", "--html", "/dev/null", "--thread", "work", file}) == (has_page ? 0 : 2));
  CHECK(Run({"report", "--html", "/nonexistent/out.html", file}) == (has_page ? 1 : 2));
  CHECK(Run({"report", "--html", "/dev/null", "/nonexistent.json"}) == (has_page ? 1 : 2));
}

TEST_CASE("views and filters of report") {
  const std::string file = GECKOPROF_GOLDEN_DIR "/demo_processed_69.json";
  for (const char* view : {"function", "file", "library", "category", "thread", "process", "marker", "marker-type",
                           "startup", "allocation", "io"}) {
    INFO(view);
    CHECK(Run({"report", "--by", view, file}) == 0);
    CHECK(Run({"report", "--by", view, "--json", "--function", "main", "--marker", "x", "--from", "1", "--to", "2s",
               file}) == 0);
  }
  CHECK(Run({"report", "--by", "color", file}) == 2);
  CHECK(Run({"report", "--from", "soon", file}) == 2);
  CHECK(Run({"report", "--to", "5m", file}) == 2);
  CHECK(Run({"report", "--from", "2s", "--to", "1s", file}) == 2);
}

}  // namespace
}  // namespace geckoprof
