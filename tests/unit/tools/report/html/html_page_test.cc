#include "tools/report/html/html_page.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace geckoprof
