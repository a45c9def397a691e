#include "tools/view/view_address.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("the addresses of a run") {
  ViewAddress address{7373, "abc", "p.json.gz", false};
  CHECK(address.Origin() == "http://127.0.0.1:7373");
  CHECK(address.ViewerOrigin() == "https://profiler.firefox.com");
  CHECK(address.PageUrl() ==
        "https://profiler.firefox.com/from-url/http%3A%2F%2F127.0.0.1%3A7373%2Fabc%2Fp.json.gz/"
        "?symbolServer=http%3A%2F%2F127.0.0.1%3A7373%2Fabc");
  address.has_front_end = true;
  CHECK(address.ViewerOrigin() == address.Origin());
  CHECK(address.PageUrl().starts_with("http://127.0.0.1:7373/from-url/http%3A%2F%2F127"));
}

TEST_CASE("hosts") {
  const ViewAddress address{7373, "abc", "p.json", false};
  CHECK(address.IsOwnHost("127.0.0.1:7373"));
  CHECK(address.IsOwnHost("localhost:7373"));
  for (const char* host : {"", "127.0.0.1", "localhost", "127.0.0.1:7374", "evil.example:7373", "localhost.evil:7373",
                           "127.0.0.1:7373.evil", "evil@127.0.0.1:7373"}) {
    CHECK_FALSE(address.IsOwnHost(host));
  }
}

TEST_CASE("what follows the token") {
  const ViewAddress address{1, "abc", "p.json", false};
  CHECK(address.AfterToken("/abc/p.json") == "/p.json");
  CHECK(address.AfterToken("/abc").empty());
  for (const char* path :
       {"", "/", "abc/p.json", "/abd/p.json", "/abcd/p.json", "/ab/p.json", "/ABC/p.json", "//abc/p.json"}) {
    CHECK(address.AfterToken(path).empty());
  }
  CHECK(ViewAddress().AfterToken("//p.json").empty());
}

TEST_CASE("tokens are long, plain and never the same") {
  const auto first = MakeToken(), second = MakeToken();
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(first->size() == 48);
  CHECK(first->find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(*first != *second);
}

TEST_CASE("escapes") { CHECK(UrlEscaped("a-Z_0.~/ %\xff") == "a-Z_0.~%2F%20%25%FF"); }

TEST_CASE("the name under which a profile is served") {
  CHECK(ServedName("a.json.gz", true) == "a.json.gz");
  CHECK(ServedName("b/a.json", false) == "a.json");
  CHECK(ServedName("a.json", true) == "a.json.gz");
  CHECK(ServedName("/x/a b?.zip", true) == "a_b_.zip.json.gz");
  CHECK(ServedName("..", false) == "_..json");
  CHECK(ServedName("", false) == "profile.json");
  CHECK(ServedName(std::string(500, 'a'), false).size() == 105);
}

}  // namespace
}  // namespace geckoprof
