#include "tools/report/html/html_report.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "page_model.h"

namespace geckoprof {
namespace {

TEST_CASE("a build has the page, or says why not") {
  const HtmlPage page = HtmlPage::Built();
  if (!page.absence.empty()) {
    CHECK(page.before_data.empty());
    return;
  }
  CHECK(page.before_data.starts_with("<!DOCTYPE html>"));
  CHECK(page.before_data.find("default-src 'none'") != std::string_view::npos);
  CHECK(page.before_data.ends_with("id=\"profile-data\">"));
  CHECK(page.after_data.starts_with("</script>"));
}

TEST_CASE("base 64 as in RFC 4648") {
  CHECK(Base64Text("").empty());
  CHECK(Base64Text("f") == "Zg==");
  CHECK(Base64Text("fo") == "Zm8=");
  CHECK(Base64Text("foo") == "Zm9v");
  CHECK(Base64Text("foobar") == "Zm9vYmFy");
  CHECK(Base64Text(std::string_view("\0\xff\xfe</", 5)) == "AP/+PC8=");
}

TEST_CASE("between the two parts of the page there is nothing but base 64") {
  char folder[] = "/tmp/html_report_test_XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/out.html";
  ProfileModel model = PageModel();
  model.strings[1] = "</script><script>alert(1)</script>\xe2\x80\xa8<!--";
  model.threads[0].samples = {PageSample(1, 3), PageSample(2, 3)};
  {
    absl::StatusOr<OutputFile> file = OutputFile::Create(path);
    REQUIRE(file.ok());
    REQUIRE(WriteHtmlReport(model, Summarize(model, {}), {"f", {}, false}, {"<before>", "<after>", ""}, &*file).ok());
    CHECK(access(path.c_str(), F_OK) != 0);  // not before it is complete
    REQUIRE(file->Commit().ok());
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const std::string page = text.str();
  REQUIRE(page.starts_with("<before>"));
  REQUIRE(page.ends_with("<after>"));
  const std::string data = page.substr(8, page.size() - 15);
  CHECK(data.size() > 100);
  CHECK(data.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
        std::string::npos);
  CHECK(data.starts_with("H4sI"));  // gzip
  unlink(path.c_str());
  rmdir(folder);
}

}  // namespace
}  // namespace geckoprof
