#include "tools/view/front_end_files.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("the viewer's files, its page for its own addresses, and nothing else") {
  const DebugInfoSample folder;
  const std::string dist = folder.folder() + "/dist";
  CHECK_FALSE(FrontEndFiles::Open(dist).ok());
  REQUIRE(
      folder.Run("mkdir -p dist/res dist/.git; echo page >dist/index.html; echo code >dist/index-1.js; "
                 "echo x >dist/res/a.png; echo secret >secret; echo secret >dist/.git/config; echo w >dist/sw.js; "
                 "ln -s ../secret dist/link.txt; ln -s index-1.js dist/inside.js; mkfifo dist/fifo"));
  CHECK_FALSE(FrontEndFiles::Open(dist + "/index.html").ok());
  const auto files = FrontEndFiles::Open(dist);
  REQUIRE(files.ok());
  const auto type = [&](std::string_view path) {
    const FrontEndFiles::File file = files->Find(path);
    return file.fd != nullptr ? file.type : "none";
  };
  CHECK(type("/index-1.js") == "text/javascript; charset=utf-8");
  CHECK(files->Find("/index-1.js").size_bytes == 5);
  CHECK(type("/inside.js") == "text/javascript; charset=utf-8");
  CHECK(type("/res/a.png") == "image/png");
  for (const char* page : {"/", "/index.html", "/from-url/http://127.0.0.1:1/x/p.json.gz/calltree/", "/docs", "/a/b/",
                           "/from-url/../../secret"}) {
    INFO(page);
    CHECK(type(page) == "text/html; charset=utf-8");
    CHECK(files->Find(page).size_bytes == 5);
  }
  for (const char* none : {"", "secret", "/../secret", "/res/../../secret", "/link.txt", "/.git/config", "/sw.js",
                           "/gone.js", "/..\\secret", "/fifo.x", "//etc/host.conf"}) {
    INFO(none);
    CHECK(type(none) == "none");
  }
  CHECK(type(std::string_view("/index-1.js\0.png", 16)) == "none");
  CHECK(type("/fifo") != "application/octet-stream");
}

}  // namespace
}  // namespace geckoprof
