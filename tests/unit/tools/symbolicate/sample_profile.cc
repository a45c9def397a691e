#include "tests/unit/tools/symbolicate/sample_profile.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tools/symbols/symbolizer.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string LibText(const std::string& library) {
  const auto image = ElfImage::Open(library);
  const std::string id = image.ok() ? (*image)->BuildId() : std::string();
  return R"("arch":"","name":"libsample.so","path":")" + library + R"(","debugName":"libsample.so","debugPath":")" +
         library + R"(","breakpadId":")" + BreakpadId(id) + R"(","codeId":)" +
         (id.empty() ? "null" : "\"" + CodeId(id) + "\"");
}

}  // namespace

uint64_t InlinedAddress(const std::string& library) {
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  for (uint64_t at = 0x1000; at < 0x1400; ++at) {
    const AddressSymbols* found = symbolizer.FindRelative(library, "", at);
    if (found != nullptr && found->frames.size() == 3 && found->frames[2].line == 2 && found->frames[1].line == 3)
      return at;
  }
  FAIL("nothing is inlined");
  return 0;
}

std::string ProcessedSampleText(const std::string& library, uint64_t address, int version) {
  const std::string nulls = "[null,null]";
  const auto column = [&](int from, const std::string& name, const std::string& values) {
    return version >= from ? ",\"" + name + "\":" + values : std::string();
  };
  std::string text = Concat(
      R"({"meta":{"preprocessedProfileVersion":)", version,
      R"(,"interval":1,"startTime":1000,"version":27,"product":"p","stackwalk":1,"processType":0,"other":"kept",)"
      R"("categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],"markerSchema":[{"name":"NoPayloadUserData","display":["marker-chart"],"fields":[]}],)"
      R"("symbolicated":false,"sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"}},"libs":[{)",
      LibText(library),
      R"(}],"pages":[],"threads":[{"processType":"default","processStartupTime":0,)"
      R"("processShutdownTime":null,"registerTime":0,"unregisterTime":null,"pausedRanges":[],"name":"main",)"
      R"("isMainThread":true,"pid":"1","tid":1,"samples":{"stack":[1],"time":[1],"weight":null,"weightType":"samples",)"
      R"("length":1},"markers":{"name":[0],"startTime":[1],"endTime":[null],"phase":[0],"category":[0],)"
      R"("data":[{"type":"NoPayloadUserData","cause":{"tid":1,"time":1,"stack":1}}],"length":1}}],"shared":{)"
      R"("stringArray":["main","libsample.so","0x)",
      HexText(address), R"("],"stackTable":{"frame":[0,1],)");
  text += version >= 66 ? R"("prefixOffset":[0,1])" : R"("prefix":[null,0])";
  text +=
      Concat(R"(,"length":2},"frameTable":{"address":[-1,)", address,
             R"(],"inlineDepth":[0,0],"category":[0,0],"subcategory":[0,0],"func":[0,1],"nativeSymbol":[null,null],)"
             R"("innerWindowID":[null,null],"line":[null,null],"column":[null,null])");
  text += column(70, "lib", "[-1,0]") + column(64, "originalLocation", nulls);
  text +=
      R"(,"length":2},"funcTable":{"name":[0,2],"isJS":[false,false],"relevantForJS":[false,false],"resource":[-1,0],)"
      R"("source":[null,null],"lineNumber":[null,null],"columnNumber":[null,null])";
  text += column(64, "originalLocation", nulls);
  text += R"(,"length":2},"resourceTable":{"name":[1],"host":[null],"type":[1])";
  text += version >= 70 ? "" : R"(,"lib":[0])";
  text +=
      R"(,"length":1},"nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0},"sources":{)";
  text += version >= 61 ? R"("id":[],"startLine":[],"startColumn":[],"sourceMapURL":[])" : R"("uuid":[])";
  text += column(64, "content", "[]") + R"(,"filename":[],"length":0})";
  text += column(64, "sourceLocationTable", R"({"source":[],"line":[],"column":[],"length":0})");
  return text + "}}";
}

std::string GeckoSampleText(const std::string& library, uint64_t address) {
  constexpr uint64_t kStart = 0x7f0000000000;
  // Frame 0 the root, 1 where the sample was, 2 a return address behind it; 3 a script; 4 run-time code.
  const std::string strings =
      Concat(R"J(["(root)","0x)J", HexText(kStart + address), R"J(","0x)J", HexText(kStart + address + 1),
             R"J(","tick (file:///a.js:1:2)[0]","0x1000","the text"])J");
  const std::string meta =
      R"("meta":{"version":34,"startTime":1000,"interval":1,"stackwalk":1,"processType":0,"product":"p",)"
      R"("shutdownTime":null,"debug":0,"gcpoison":0,"asyncstack":0,"presymbolicated":false,)"
      R"("categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],"markerSchema":[{"name":"T",)"
      R"("display":["marker-chart"],"data":[{"key":"u","format":"unique-string","searchable":true},)"
      R"({"label":"Description","value":"what it is"}]}],)"
      R"("sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"}})";
  const std::string counters =
      R"("counters":[{"name":"malloc","category":"Memory","description":"d","samples":{"schema":{"time":0,"count":1},)"
      R"("data":[[1,500],[2,-7]]}}],"profilerOverhead":{"samples":{"schema":{"time":0,"locking":1,"lateness":2},)"
      R"("data":[[2000,5,1],[3500,7]]},"statistics":{"samplingCount":2},"handlerTime":0.5})";
  const std::string tables =
      R"("frameTable":{"schema":{"location":0,"relevantForJS":1,"innerWindowID":2,"implementation":3,"line":4,)"
      R"("column":5,"category":6,"subcategory":7},)"
      R"("data":[[0,false,0],[1,false,0],[2,false,0],[3,false,9,null,5,6,0,0],[4,false,0]]},)"
      R"("stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[0,2],[0,3],[0,4]]},)"
      R"("samples":{"schema":{"stack":0,"time":1,"eventDelay":2,"threadCPUDelta":3},"data":[[1,1,-1,5],[3,2],[4,3]]},)"
      R"("markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[)"
      R"([5,1,0,0,0,{"type":"T","u":5,"stack":{"tid":1,"samples":{"schema":{"stack":0,"time":1},"data":[[2,0.5]]}}}],)"
      R"([5,1,2,1,0]]})";
  return Concat(R"({"libs":[{"start":)", kStart, R"(,"end":)", kStart + 0x100000, R"(,"offset":0,)", LibText(library),
                "}],", meta, R"(,"pages":[],"sources":{"schema":{"id":0,"filename":1},"data":[["x","file:///a.js"]]},)",
                R"("pausedRanges":[],)", counters, R"(,"processes":[],"threads":[{"processType":"default",)",
                R"("name":"GeckoMain","registerTime":0,"unregisterTime":null,"pid":1,"tid":1,"stringTable":)", strings,
                ",", tables, "}]}");
}

std::vector<std::string> StackText(JsonView profile, JsonView thread) {
  const JsonView shared = profile["shared"], frames = shared["frameTable"], funcs = shared["funcTable"],
                 stacks = shared["stackTable"], strings = shared["stringArray"];
  std::vector<std::string> lines;
  std::optional<int64_t> stack = thread["samples"]["stack"].At(0).AsInteger();
  while (stack.has_value() && lines.size() < 100) {
    const auto row = static_cast<size_t>(*stack);
    const auto frame = static_cast<size_t>(*stacks["frame"].At(row).AsInteger());
    const auto func = static_cast<size_t>(*frames["func"].At(frame).AsInteger());
    std::string line(strings.At(static_cast<size_t>(*funcs["name"].At(func).AsInteger())).AsString());
    if (const auto source = funcs["source"].At(func).AsInteger();
        source.has_value() && !frames["line"].At(frame).IsNull()) {
      const auto file = shared["sources"]["filename"].At(static_cast<size_t>(*source)).AsInteger();
      const std::string name(strings.At(static_cast<size_t>(*file)).AsString());
      line += Concat(" ", name.substr(name.rfind('/') + 1), ":", *frames["line"].At(frame).AsInteger());
    }
    lines.push_back(line);
    if (stacks["prefixOffset"].IsArray()) {
      const int64_t offset = *stacks["prefixOffset"].At(row).AsInteger();
      stack = offset == 0 ? std::nullopt : std::optional(*stack - offset);
    } else {
      stack = stacks["prefix"].At(row).AsInteger();
    }
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace geckoprof
