#include "tools/view/symbol_api.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/tools/view/sample_library.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

TEST_CASE("each call, and what is none") {
  const SampleLibrary library;
  SymbolApi api(library.Libraries(), NoPlaces(), {}, [](const std::string&) {});
  const std::string names = Concat(R"("debugName":"libsample.so","debugId":")", library.breakpad_id(), "\"");
  const std::string at = ApiNumber(library.address());
  CHECK(api.Answer("/symbolicate/v5", R"({"jobs":[]})").body == R"({"results":[]})");
  CHECK(
      api.Answer("/source/v1", Concat("{", names, R"(,"moduleOffset":")", at, R"(","file":")", library.source(), "\"}"))
          .body.find("SampleInner") != std::string::npos);
  CHECK(api.Answer("/asm/v1", Concat("{", names, R"(,"startAddress":")", at, R"(","size":"0x4"})"))
            .body.find("instructions") != std::string::npos);
  CHECK(api.Answer("/symbolicate/v4", "{}").status == 404);
  CHECK(api.Answer("", "{}").status == 404);
}

TEST_CASE("bodies that are no JSON object") {
  SymbolApi api(ProfileLibraries(), NoPlaces(), {}, [](const std::string&) {});
  for (const std::string& body : {std::string(), std::string("{"), std::string("[]"), std::string("3"),
                                  std::string("{\"a\":\"\xff\"}"), std::string(100'000, '['), std::string("{}x")}) {
    for (const char* path : {"/symbolicate/v5", "/source/v1", "/asm/v1"}) CHECK(api.Answer(path, body).status == 400);
  }
}

TEST_CASE("what is wrong with a library is told once") {
  std::vector<std::string> told;
  SymbolApi api(ProfileLibraries(Json(R"({"libs":[{"debugName":"a","breakpadId":"1","path":"/nowhere/a.so"}]})")),
                NoPlaces(), {}, [&](const std::string& problem) { told.push_back(problem); });
  const std::string body = R"({"memoryMap":[["a","1"]],"stacks":[[[0,1]]]})";
  const ApiAnswer answer = api.Answer("/symbolicate/v5", body);
  CHECK(answer.body.find(R"("a/1":false)") != std::string::npos);
  api.Answer("/symbolicate/v5", body);
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("/nowhere/a.so") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
