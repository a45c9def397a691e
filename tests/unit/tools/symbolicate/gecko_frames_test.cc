#include "tools/symbolicate/gecko_frames.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("what location strings mean") {
  const std::string text =
      R"J({"libs":[{"start":4096,"end":8192,"offset":16,"name":"libdemo.so","path":"/nowhere/libdemo.so"},{"start":"x"}],)J"
      R"J("meta":{"startTime":5},"sources":{"schema":{"id":0,"filename":1},"data":[["id","file:///a.js"]]},)J"
      R"J("threads":[{"pid":0,"stringTable":["0x1800","run() (in libdemo.so) + 4","tick (file:///a.js:1:2)[0]",)J"
      R"J("https://a.org/b/c.js:7","Layout","f (in gone.so)","g (h)[0]","0x9999"],"frameTable":{"schema":{"location":0},)J"
      R"J("data":[[0],[1],[2],[3],[4],[5],[6],[7]]},"stackTable":{"schema":{"prefix":0,"frame":1},)J"
      R"J("data":[[null,0],[0,1],[1,2],[2,3],[3,4],[4,5],[5,6],[6,7]]}}]})J";
  const JsonDocument document = *JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  SharedTables tables;
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  LibrarySymbols symbols(&symbolizer, tables, nullptr);
  GeckoProcessTables process = GeckoProcessTables::Read(document.root(), tables);
  CHECK(process.libs.size() == 1);
  GeckoFrames frames(document.root()["threads"].At(0), process, tables, symbols);
  REQUIRE(frames.Check(JsonPath()).ok());
  const std::string numbers = "[7]";
  const JsonDocument leaf = *JsonDocument::Parse(numbers, JsonDocument::Utf8::kStrict);
  REQUIRE(frames.SampleStack(leaf.root().At(0)) == 7);
  const auto name = [&](size_t row) {
    return std::string(tables.more_strings().At(tables.funcs()[static_cast<size_t>(tables.frames()[row].func)].name));
  };
  REQUIRE(tables.frames().size() == 8);
  CHECK(tables.frames()[0].address == 0x80f);  // a return address, less one, from the start less the offset
  CHECK(name(0) == "0x80f");
  CHECK(name(1) == "run()");
  CHECK(tables.funcs()[1].resource == tables.funcs()[0].resource);
  CHECK(name(2) == "tick");
  CHECK(tables.funcs()[2].source == 0);
  CHECK(tables.funcs()[2].line == 1);
  CHECK(tables.funcs()[2].column == 2);
  CHECK(tables.funcs()[2].is_js);
  CHECK(name(3) == "(root scope) https://a.org/b/c.js");
  CHECK(tables.resources()[static_cast<size_t>(tables.funcs()[3].resource)].type == SharedTables::kHostResource);
  CHECK(name(4) == "Layout");
  CHECK(name(5) == "f");
  CHECK(name(6) == "g (h)");
  CHECK(name(7) == "0x9999");  // where the sample was
  const std::string nonsense = "[8,-1,null,\"x\",1e300]";
  const JsonDocument wrong = *JsonDocument::Parse(nonsense, JsonDocument::Utf8::kStrict);
  for (size_t i = 0; i < wrong.root().size(); ++i) CHECK(frames.SampleStack(wrong.root().At(i)) == -1);
}

}  // namespace
}  // namespace geckoprof
