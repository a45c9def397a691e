#include "tools/view/api_answer.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/view/sample_library.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

TEST_CASE("numbers of the API") {
  CHECK(ParseApiNumber("0x1f") == 0x1f);
  CHECK(ParseApiNumber("1F") == 0x1f);
  CHECK(ParseApiNumber("0xffffffffffffffff") == UINT64_MAX);
  for (const char* bad : {"", "0x", "0x1ffffffffffffffff", "-1", "0x-1", "1 ", "xyz"}) CHECK_FALSE(ParseApiNumber(bad));
  CHECK(ApiNumber(0x1f) == "0x1f");
}

TEST_CASE("errors and results are JSON") {
  const ApiAnswer error = ApiError("a \"b\"", 400);
  CHECK(error.status == 400);
  CHECK(error.body == R"({"error":"a \"b\""})");
  CHECK(ApiResult([](JsonWriter& writer) { writer.Int(3); }).body == "3");
  CHECK(ApiResult([](JsonWriter& writer) { writer.StartArray(); }).status == 500);
}

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
  // The answer has only the places of the others, without null and without empty names.
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

std::string AsmRequestText(const std::string& name, const std::string& id, uint64_t start, const std::string& rest) {
  return Concat(R"({"debugName":")", name, R"(","debugId":")", id, R"(","startAddress":")", ApiNumber(start), "\",",
                rest, "}");
}

TEST_CASE("a function's instructions") {
  const SampleLibrary library;
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  const AddressSymbols* symbols = symbolizer.FindRelative(library.sample().library(), "", library.address());
  REQUIRE(symbols != nullptr);
  const auto ask = [&](const std::string& rest, uint64_t start) {
    return Json(
        AnswerAsm(Json(AsmRequestText("libsample.so", library.breakpad_id(), start, rest)), libraries, symbolizer)
            .body);
  };
  const std::string size = Concat(R"("size":")", ApiNumber(symbols->size_bytes), "\"");
  const JsonView whole = ask(size, symbols->start_svma);
  CHECK(whole["startAddress"].AsString() == ApiNumber(symbols->start_svma));
  CHECK(whole["size"].AsString() == ApiNumber(symbols->size_bytes));
  const JsonView rows = whole["instructions"];
  REQUIRE(rows.size() > 3);
  CHECK(rows.At(0).At(0).AsInteger() == 0);
  CHECK(rows.At(rows.size() - 1).At(1).AsString() == "ret");
  // The size is not known to the viewer: up to the function's end.
  const JsonView same = ask(R"("size":"0x1","continueUntilFunctionEnd":true)", symbols->start_svma);
  CHECK(same["instructions"].size() == rows.size());
  // More than there is.
  CHECK(ask(R"("size":"0xffffffffffffffff")", symbols->start_svma)["instructions"].size() >= rows.size());
}

TEST_CASE("what cannot be shown is told") {
  const SampleLibrary library;
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  const auto ask = [&](const std::string& text) { return AnswerAsm(Json(text), libraries, symbolizer); };
  const std::string id = library.breakpad_id(), size = R"("size":"0x10")";
  CHECK(ask("{}").status == 400);
  CHECK(ask(R"({"startAddress":"0x10","size":7})").status == 400);
  CHECK(ask(AsmRequestText("libsample.so", id, UINT64_MAX, size)).status == 400);
  for (const auto& text :
       {AsmRequestText("other", id, 0x1000, size), AsmRequestText("libsample.so", "00", 0x1000, size),
        AsmRequestText("libsample.so", id, 0, size),  // headers, not code
        AsmRequestText("libsample.so", id, 0x7000000, size),
        AsmRequestText("libsample.so", id, library.address(), R"("size":"0x0")")}) {
    const ApiAnswer answer = ask(text);
    INFO(answer.body);
    CHECK(Json(answer.body)["error"].IsString());
  }
}

}  // namespace
}  // namespace geckoprof
