#include "tools/symbolicate/gecko_symbolication.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbolicate/sample_profile.h"
#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tools/check/profile_checker.h"

namespace geckoprof {
namespace {

std::string Written(const std::string& text, std::string* error = nullptr) {
  return SymbolicatedText<GeckoSymbolication>(text, error);
}

TEST_CASE("a Gecko profile becomes a processed one with symbols") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  const uint64_t address = InlinedAddress(sample.library());
  const JsonDocument document =
      *JsonDocument::Parse(Written(GeckoSampleText(sample.library(), address)), JsonDocument::Utf8::kStrict);
  const FaultList faults = CheckProfile(document, 10).faults;
  if (faults.fault_count() != 0) UNSCOPED_INFO(faults.faults()[0]);
  CHECK(faults.fault_count() == 0);
  const JsonView profile = document.root(), thread = profile["threads"].At(0);
  CHECK(StackText(profile, thread) == std::vector<std::string>{"(root)", "SampleOuter sample.c:4",
                                                               "SampleMiddle sample.c:3", "SampleInner sample.c:2"});
  // The marker's stack is a return address, one byte further: the same place.
  const JsonView data = thread["markers"]["data"].At(0);
  CHECK(data["cause"]["stack"].AsInteger() == thread["samples"]["stack"].At(0).AsInteger());
  CHECK_FALSE(data["stack"].Exists());
  CHECK(profile["shared"]["stringArray"].At(static_cast<size_t>(*data["u"].AsInteger())).AsString() == "the text");
  CHECK(thread["markers"]["endTime"].At(0).IsNull());
  CHECK(thread["markers"]["endTime"].At(1).AsInteger() == 2);
  CHECK(thread["samples"]["eventDelay"].At(0).IsNull());  // one below zero is none
  CHECK(thread["isMainThread"].IsTrue());
  CHECK(thread["pid"].AsString() == "1");
  const JsonView schema = profile["meta"]["markerSchema"].At(0);
  CHECK(schema["description"].AsString() == "what it is");
  CHECK(schema["fields"].size() == 1);
  CHECK_FALSE(schema["data"].Exists());
  const JsonView counter = profile["counters"].At(0);
  CHECK(counter["samples"]["count"].At(0).AsInteger() == 0);
  CHECK(counter["samples"]["count"].At(1).AsInteger() == -7);
  CHECK(counter["display"]["unit"].AsString() == "bytes");
}

TEST_CASE("the profiler's own time is kept, with times in ms") {
  const JsonDocument document =
      *JsonDocument::Parse(Written(GeckoSampleText("/nowhere/lib.so", 0x1234)), JsonDocument::Utf8::kStrict);
  const JsonView overhead = document.root()["profilerOverhead"].At(0), looks = overhead["samples"];
  CHECK(overhead["pid"].AsString() == "1");
  CHECK(overhead["mainThreadIndex"].AsInteger() == 0);
  CHECK(overhead["statistics"]["samplingCount"].AsInteger() == 2);
  CHECK(overhead["handlerTime"].AsNumber() == 0.5);
  CHECK(looks["length"].AsInteger() == 2);
  CHECK(looks["time"].At(0).AsNumber() == 2);
  CHECK(looks["time"].At(1).AsNumber() == 3.5);
  CHECK(looks["locking"].At(1).AsNumber() == 7);
  CHECK(looks["lateness"].At(0).AsNumber() == 1);
  CHECK(looks["lateness"].At(1).IsNull());  // the row is shorter
}

TEST_CASE("states of samples are kept, with a number for each") {
  std::string text = GeckoSampleText("/nowhere/lib.so", 0x1234);
  const std::string before = R"("threadCPUDelta":3},"data":[[1,1,-1,5],[3,2],[4,3]])";
  const size_t at = text.find(before);
  REQUIRE(at != std::string::npos);
  text.replace(at, before.size(),
               R"("threadCPUDelta":3,"state":4,"waitCause":5,"threadReadyDelta":6,"lock":7,)"
               R"("lockHolder":8},"data":[[1,1,-1,5],[3,2,null,0,2,1,7,4096,9],[4,3,null,0,1]])");
  const JsonDocument document = *JsonDocument::Parse(Written(text), JsonDocument::Utf8::kStrict);
  const JsonView samples = document.root()["threads"].At(0)["samples"];
  for (size_t i = 0; i < 3; ++i) {
    CHECK(samples["state"].At(i).AsInteger() == std::vector<int64_t>{0, 2, 1}[i]);
    CHECK(samples["lock"].At(i).IsNull() == (i != 1));
  }
  CHECK(samples["waitCause"].At(1).AsInteger() == 1);
  CHECK(samples["threadReadyDelta"].At(1).AsInteger() == 7);
  CHECK(samples["lock"].At(1).AsInteger() == 4096);
  CHECK(samples["lockHolder"].At(1).AsInteger() == 9);
}

TEST_CASE("times of a process below count from the first one's start, as all others do") {
  std::string child = GeckoSampleText("/nowhere/lib.so", 0x1234), text = child;
  const auto replace = [](std::string* in, std::string_view from, const std::string& to) {
    const size_t at = in->find(from);
    REQUIRE(at != std::string::npos);
    in->replace(at, from.size(), to);
  };
  replace(&text, R"("startTime":1000,)", R"("startTime":1000,"profilingEndTime":20,)");
  replace(&child, R"("startTime":1000,)", R"("startTime":1250,"profilingEndTime":10,)");
  replace(&child, R"("pid":1,"tid":1,)", R"("pid":10000001,"tid":2,)");
  replace(&text, R"("processes":[])", R"("processes":[)" + child + "]");
  const JsonDocument document = *JsonDocument::Parse(Written(text), JsonDocument::Utf8::kStrict);
  const JsonView profile = document.root(), threads = profile["threads"];
  REQUIRE(threads.size() == 2);
  CHECK(profile["meta"]["profilingEndTime"].NumberOr(-1) == 260);
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const JsonView thread = threads.At(i);
    const double shift_ms = i == 0 ? 0 : 250;
    CHECK(thread["pid"].AsString() == (i == 0 ? "1" : "1.1"));
    CHECK(thread["processStartupTime"].NumberOr(-1) == shift_ms);
    CHECK(thread["registerTime"].NumberOr(-1) == shift_ms);
    CHECK(thread["samples"]["time"].At(0).NumberOr(-1) == 1 + shift_ms);
    CHECK(thread["markers"]["startTime"].At(0).NumberOr(-1) == 1 + shift_ms);
    CHECK(thread["markers"]["endTime"].At(1).NumberOr(-1) == 2 + shift_ms);
    CHECK(thread["markers"]["data"].At(0)["cause"]["time"].NumberOr(-1) == 0.5 + shift_ms);
    const JsonView counter = profile["counters"].At(i);
    CHECK(counter["mainThreadIndex"].AsInteger() == static_cast<int64_t>(i));
    CHECK(counter["samples"]["time"].At(0).NumberOr(-1) == 1 + shift_ms);
    const JsonView overhead = profile["profilerOverhead"].At(i);
    CHECK(overhead["pid"].AsString() == thread["pid"].AsString());
    CHECK(overhead["mainThreadIndex"].AsInteger() == static_cast<int64_t>(i));
    CHECK(overhead["samples"]["time"].At(0).NumberOr(-1) == 2 + shift_ms);
  }
}

TEST_CASE("Gecko tables that make no sense are an error that says where") {
  const std::string sound = GeckoSampleText("/nowhere/lib.so", 0x1234);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = sound;
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    std::string error;
    CHECK(Written(text.replace(at, from.size(), to), &error).empty());
    return error;
  };
  CHECK_FALSE(Written(sound).empty());
  CHECK(with("[0,1],[0,2]", "[1,1],[0,2]").find("stackTable") != std::string::npos);
  CHECK(with("[0,1],[0,2]", "[0,99],[0,2]").find("stackTable") != std::string::npos);
  CHECK(with("[0,1],[0,2]", "[0,null],[0,2]").find("stackTable") != std::string::npos);
  CHECK(with("\"version\":34", "\"version\":99").find("version 99") != std::string::npos);
  CHECK(with("\"version\":34", "\"other\":34").find("$.meta.version") != std::string::npos);
  CHECK(with("\"stringTable\"", "\"strings\"").find("stringTable") != std::string::npos);
  CHECK(with("\"markers\"", "\"marks\"").find("markers") != std::string::npos);
  CHECK(with("\"threads\"", "\"thread\"").find("threads") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
