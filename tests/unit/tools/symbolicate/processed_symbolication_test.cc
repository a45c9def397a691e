#include "tools/symbolicate/processed_symbolication.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbolicate/sample_profile.h"
#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tools/check/profile_checker.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string Written(const std::string& text, std::string* error = nullptr, const JitMap* jit_map = nullptr) {
  return SymbolicatedText<ProcessedSymbolication>(text, error, jit_map);
}

TEST_CASE("a stack row becomes a row a function, and the samples follow") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  const uint64_t address = InlinedAddress(sample.library());
  for (const int version : {60, 63, 64, 66, 70}) {
    INFO(version);
    const std::string text = ProcessedSampleText(sample.library(), address, version);
    const std::string written = Written(text);
    const JsonDocument document = *JsonDocument::Parse(written, JsonDocument::Utf8::kStrict);
    const FaultList faults = CheckProfile(document, 10).faults;
    if (faults.fault_count() != 0) UNSCOPED_INFO(faults.faults()[0]);
    CHECK(faults.fault_count() == 0);
    const std::vector<std::string> stack = StackText(document.root(), document.root()["threads"].At(0));
    CHECK(stack == std::vector<std::string>{"main", "SampleOuter sample.c:4", "SampleMiddle sample.c:3",
                                            "SampleInner sample.c:2"});
    CHECK(document.root()["meta"]["symbolicated"].IsTrue());
    CHECK(document.root()["threads"].At(0)["markers"]["data"].At(0)["cause"]["stack"].AsInteger() ==
          document.root()["threads"].At(0)["samples"]["stack"].At(0).AsInteger());
    CHECK(document.root()["meta"]["other"].AsString() == "kept");
    // Once more gives the same: what was inlined is told anew, not twice.
    CHECK(Written(written) == written);
  }
}

TEST_CASE("what is not found stays as it was") {
  const std::string text = ProcessedSampleText("/nowhere/lib.so", 0x1234, 70);
  const JsonDocument document = *JsonDocument::Parse(Written(text), JsonDocument::Utf8::kStrict);
  CHECK(StackText(document.root(), document.root()["threads"].At(0)) == std::vector<std::string>{"main", "0x1234"});
}

TEST_CASE("a sample's stack that is no row is an error that says where") {
  const auto with = [](const std::string& stack) {
    return R"({"meta":{"preprocessedProfileVersion":63},"libs":[],"threads":[{"samples":{"stack":[null,)" + stack +
           R"(]}}],"shared":{"stringArray":["a"],"funcTable":{"name":[0],"resource":[-1]},"resourceTable":{"lib":[]},)"
           R"("frameTable":{"func":[0],"address":[-1]},"stackTable":{"frame":[0],"prefix":[null]}}})";
  };
  std::string error;
  CHECK_FALSE(Written(with("0"), &error).empty());
  for (const char* stack : {"1", "-5", "99999", "\"x\"", "0.5"}) {
    INFO(stack);
    CHECK(Written(with(stack), &error).empty());
    CHECK(error.find("$.threads[0].samples.stack[1]") != std::string::npos);
  }
}

TEST_CASE("tables that make no sense are an error that says where") {
  const auto with = [](const std::string& frame, const std::string& stack) {
    return R"({"meta":{"preprocessedProfileVersion":63},"libs":[],"threads":[],"shared":{"stringArray":["a"],)"
           R"("funcTable":{"name":[0],"resource":[-1]},"resourceTable":{"lib":[]},"frameTable":{"func":[)" +
           frame + R"(],"address":[-1]},"stackTable":{)" + stack + "}}}";
  };
  std::string error;
  CHECK_FALSE(Written(with("0", R"("frame":[0],"prefix":[null])"), &error).empty());
  for (const char* stack :
       {R"("frame":[1],"prefix":[null])", R"("frame":[-1],"prefix":[null])", R"("frame":["x"],"prefix":[null])",
        R"("frame":[0],"prefix":[0])", R"("frame":[0],"prefix":[99])", R"("frame":[0],"prefixOffset":[1])",
        R"("frame":[0],"prefixOffset":[-1])", R"("prefix":[null])"}) {
    INFO(stack);
    CHECK(Written(with("0", stack), &error).empty());
    CHECK(error.find("$.shared.stackTable") != std::string::npos);
  }
  CHECK(Written(with("5", R"("frame":[0],"prefix":[null])"), &error).empty());
  CHECK(error.find("$.shared.frameTable.func[0]") != std::string::npos);
  CHECK(Written(R"({"meta":{"preprocessedProfileVersion":59},"threads":[]})", &error).empty());
  CHECK(error.find("version 59") != std::string::npos);
  CHECK(Written(R"({"meta":{"preprocessedProfileVersion":71},"threads":[]})", &error).empty());
}

TEST_CASE("code made at run time is named by the map of the option") {
  DebugInfoSample folder;
  WriteBytes(folder.folder() + "/jit.map", "1200 100 jitted\n");
  const auto map = JitMap::Load(folder.folder() + "/jit.map");
  const std::string text =
      R"({"meta":{"preprocessedProfileVersion":63},"libs":[],"threads":[{"samples":{"stack":[0]}}],"shared":{)"
      R"("stringArray":["0x1234"],"funcTable":{"name":[0],"resource":[-1]},"resourceTable":{"lib":[]},)"
      R"("frameTable":{"func":[0],"address":[-1]},"stackTable":{"frame":[0],"prefix":[null]}}})";
  const JsonDocument document = *JsonDocument::Parse(Written(text, nullptr, map->get()), JsonDocument::Utf8::kStrict);
  CHECK(StackText(document.root(), document.root()["threads"].At(0)) == std::vector<std::string>{"jitted"});
}

}  // namespace
}  // namespace geckoprof
