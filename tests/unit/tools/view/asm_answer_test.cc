#include "tools/view/asm_answer.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/view/sample_library.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string RequestText(const std::string& name, const std::string& id, uint64_t start, const std::string& rest) {
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
        AnswerAsm(Json(RequestText("libsample.so", library.breakpad_id(), start, rest)), libraries, symbolizer).body);
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
  CHECK(ask(RequestText("libsample.so", id, UINT64_MAX, size)).status == 400);
  for (const auto& text : {RequestText("other", id, 0x1000, size), RequestText("libsample.so", "00", 0x1000, size),
                           RequestText("libsample.so", id, 0, size),  // headers, not code
                           RequestText("libsample.so", id, 0x7000000, size),
                           RequestText("libsample.so", id, library.address(), R"("size":"0x0")")}) {
    const ApiAnswer answer = ask(text);
    INFO(answer.body);
    CHECK(Json(answer.body)["error"].IsString());
  }
}

}  // namespace
}  // namespace geckoprof
