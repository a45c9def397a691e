#include "tools/view/symbolicate_answer.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/view/sample_library.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string RequestText(const std::string& id, const std::string& stacks) {
  return Concat(R"({"jobs":[{"memoryMap":[["libsample.so",")", id, R"("],["other","1"]],"stacks":)", stacks, "}]}");
}

TEST_CASE("names, lines, inlined functions from the innermost outwards") {
  const SampleLibrary library;
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  const std::string stacks = Concat("[[[0,", library.address(), "],[1,5],[0,99999999]]]");
  const ApiAnswer answer = AnswerSymbolicate(Json(RequestText(library.breakpad_id(), stacks)), libraries, symbolizer);
  REQUIRE(answer.status == 200);
  const JsonView result = Json(answer.body)["results"].At(0);
  CHECK(result["found_modules"]["libsample.so/" + library.breakpad_id()].IsTrue());
  CHECK(result["found_modules"]["other/1"].IsBool());
  CHECK_FALSE(result["found_modules"]["other/1"].IsTrue());
  const JsonView stack = result["stacks"].At(0);
  REQUIRE(stack.size() == 3);
  const JsonView frame = stack.At(0);
  CHECK(frame["frame"].AsInteger() == 0);
  CHECK(frame["module"].AsString() == "libsample.so");
  CHECK(frame["module_offset"].AsString() == ApiNumber(library.address()));
  CHECK(frame["function"].AsString() == "SampleOuter");
  CHECK(frame["line"].AsInteger() == 4);
  CHECK(frame["file"].AsString() == library.source());
  const auto offset = ParseApiNumber(frame["function_offset"].AsString());
  const auto size_bytes = ParseApiNumber(frame["function_size"].AsString());
  REQUIRE(offset);
  REQUIRE(size_bytes);
  CHECK(*offset < *size_bytes);
  REQUIRE(frame["inlines"].size() == 2);
  CHECK(frame["inlines"].At(0)["function"].AsString() == "SampleInner");
  CHECK(frame["inlines"].At(0)["line"].AsInteger() == 2);
  CHECK(frame["inlines"].At(1)["function"].AsString() == "SampleMiddle");
  // Of the rest only where it is: no null, no empty name.
  for (size_t i = 1; i < 3; ++i) {
    CHECK(stack.At(i).size() == 3);
    CHECK(stack.At(i)["frame"].AsInteger() == static_cast<int64_t>(i));
  }
}

TEST_CASE("requests that make no sense, or ask for too much") {
  const SampleLibrary library;
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  const auto status = [&](const std::string& text) {
    return AnswerSymbolicate(Json(text), libraries, symbolizer).status;
  };
  const std::string id = library.breakpad_id();
  for (const char* stacks :
       {"3", "[3]", "[[3]]", "[[[0]]]", "[[[2,1]]]", "[[[-1,1]]]", "[[[0,-1]]]", "[[[0,1.5]]]", R"([[["0",1]]])"}) {
    INFO(stacks);
    CHECK(status(RequestText(id, stacks)) == 400);
  }
  CHECK(status(R"({"jobs":[3]})") == 400);
  CHECK(status(R"({"jobs":[{"memoryMap":[[1,2]],"stacks":[]}]})") == 400);
  CHECK(status("{}") == 400);
  CHECK(status(R"({"jobs":[]})") == 200);
  CHECK(status(R"({"memoryMap":[],"stacks":[]})") == 200);  // one job alone
  std::string many = "[[";
  for (int i = 0; i < 100'001; ++i) many += i == 0 ? "[1,1]" : ",[1,1]";
  CHECK(status(RequestText(id, many + "]]")) == 400);
}

}  // namespace
}  // namespace geckoprof
