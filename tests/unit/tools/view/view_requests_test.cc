#include "tools/view/view_requests.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/view/sample_library.h"

namespace geckoprof {
namespace {

constexpr char kViewer[] = "https://profiler.firefox.com";

std::string HeaderOf(const HttpResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

HttpRequest Get(const std::string& path, const std::string& origin = "") {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  request.host = "127.0.0.1:7373";
  request.origin = origin;
  return request;
}

class Fixture {
 public:
  ViewRequests Requests(bool with_front_end) {
    std::optional<FrontEndFiles> front_end;
    if (with_front_end) {
      REQUIRE(folder_.Run("mkdir -p dist; echo page >dist/index.html; echo code >dist/a.js"));
      front_end = *FrontEndFiles::Open(folder_.folder() + "/dist");
    }
    WriteBytes(file(), "{}");
    ServedProfile profile;
    profile.fd = std::make_shared<const Fd>(open(file().c_str(), O_RDONLY | O_CLOEXEC));
    profile.size_bytes = 2;
    return ViewRequests({7373, "token", "p.json", with_front_end}, profile, std::move(front_end), &api_,
                        [this](const std::string& problem) { told_ += problem; });
  }

  std::string file() const { return folder_.folder() + "/p.json"; }
  const std::string& told() const { return told_; }

 private:
  DebugInfoSample folder_;
  SymbolApi api_{ProfileLibraries(), NoPlaces(), {}, [](const std::string&) {}};
  std::string told_;
};

TEST_CASE("the profile and the API, for who knows the token") {
  Fixture fixture;
  const ViewRequests requests = fixture.Requests(false);
  const HttpResponse profile = requests.Answer(Get("/token/p.json", kViewer));
  CHECK(profile.status == 200);
  CHECK(profile.type == "application/json");
  CHECK(profile.file_bytes == 2);
  CHECK(HeaderOf(profile, "Access-Control-Allow-Origin") == kViewer);
  HttpRequest post = Get("/token/symbolicate/v5", kViewer);
  post.method = "POST";
  post.body = R"({"jobs":[]})";
  CHECK(requests.Answer(post).body == R"({"results":[]})");
  post.path = "/symbolicate/v5";
  CHECK(requests.Answer(post).status == 404);
  for (const char* path : {"/", "/p.json", "/tokem/p.json", "/token", "/token/", "/token/q.json", "/token/../p.json",
                           "/a.js", "/token/symbolicate/v5"}) {
    INFO(path);
    CHECK(requests.Answer(Get(path, kViewer)).status == 404);
  }
}

TEST_CASE("no answer is kept, framed, guessed at or embedded by others, and none gives the token away") {
  Fixture fixture;
  const ViewRequests requests = fixture.Requests(true);
  HttpRequest api = Get("/token/symbolicate/v5");
  api.method = "POST";
  for (const HttpRequest& request : {Get("/token/p.json"), Get("/a.js"), Get("/none"), Get("/a.js", kViewer), api}) {
    INFO(request.path);
    const HttpResponse response = requests.Answer(request);
    CHECK(HeaderOf(response, "X-Content-Type-Options") == "nosniff");
    CHECK(HeaderOf(response, "Referrer-Policy") == "no-referrer");
    CHECK(HeaderOf(response, "Cross-Origin-Resource-Policy") == "same-origin");
    CHECK(HeaderOf(response, "Content-Security-Policy") == "frame-ancestors 'none'");
    CHECK(HeaderOf(response, "Cache-Control") == "no-store");
    CHECK(HeaderOf(response, "Vary") == "Origin");
  }
}

TEST_CASE("a file that was cut is not begun to be sent") {
  Fixture fixture;
  const ViewRequests requests = fixture.Requests(false);
  REQUIRE(truncate(fixture.file().c_str(), 1) == 0);
  const HttpResponse cut = requests.Answer(Get("/token/p.json", kViewer));
  CHECK(cut.status == 500);
  CHECK(cut.file == nullptr);
  CHECK(HeaderOf(cut, "Access-Control-Allow-Origin") == kViewer);
  CHECK(fixture.told().starts_with("the profile's file has been cut from 2 to 1 bytes"));
}

TEST_CASE("other pages and names of this machine get nothing") {
  Fixture fixture;
  const ViewRequests requests = fixture.Requests(false);
  for (const char* origin :
       {"https://evil.example", "null", "http://127.0.0.1:7373", "https://profiler.firefox.com.evil"}) {
    const HttpResponse response = requests.Answer(Get("/token/p.json", origin));
    CHECK(response.status == 403);
    CHECK(response.file == nullptr);
    CHECK(HeaderOf(response, "Access-Control-Allow-Origin") == "(none)");
  }
  HttpRequest rebound = Get("/token/p.json");
  rebound.host = "evil.example:7373";
  CHECK(requests.Answer(rebound).status == 403);
  rebound.host = "";
  CHECK(requests.Answer(rebound).status == 403);
  rebound.host = "localhost:7373";
  CHECK(requests.Answer(rebound).status == 200);  // no page asks, but a program
}

TEST_CASE("the browser asks whether the viewer may ask") {
  Fixture fixture;
  const ViewRequests requests = fixture.Requests(false);
  HttpRequest preflight = Get("/token/symbolicate/v5", kViewer);
  preflight.method = "OPTIONS";
  preflight.request_headers = "content-type, user-agent";
  HttpResponse response = requests.Answer(preflight);
  CHECK(response.status == 204);
  CHECK(HeaderOf(response, "Access-Control-Allow-Origin") == kViewer);
  CHECK(HeaderOf(response, "Access-Control-Allow-Headers") == "content-type, user-agent");
  CHECK(HeaderOf(response, "Access-Control-Allow-Private-Network") == "(none)");
  preflight.asks_private_network = true;
  CHECK(HeaderOf(requests.Answer(preflight), "Access-Control-Allow-Private-Network") == "true");
  preflight.request_headers = "a\r\nX-Evil: 1";
  CHECK(HeaderOf(requests.Answer(preflight), "Access-Control-Allow-Headers") == "(none)");
  preflight.origin = "https://evil.example";
  CHECK(requests.Answer(preflight).status == 403);
}

TEST_CASE("a viewer of our own") {
  Fixture fixture;
  const ViewRequests requests = fixture.Requests(true);
  CHECK(requests.Answer(Get("/a.js")).type == "text/javascript; charset=utf-8");
  CHECK(requests.Answer(Get("/from-url/x/")).type == "text/html; charset=utf-8");
  CHECK(requests.Answer(Get("/b.js")).status == 404);
  CHECK(requests.Answer(Get("/sw.js")).body.find("unregister") != std::string::npos);
  CHECK(requests.Answer(Get("/token/p.json", "http://127.0.0.1:7373")).status == 200);
  CHECK(requests.Answer(Get("/token/p.json", kViewer)).status == 403);
  HttpRequest rebound = Get("/a.js");
  rebound.host = "evil.example:7373";
  CHECK(requests.Answer(rebound).status == 403);
}

}  // namespace
}  // namespace geckoprof
