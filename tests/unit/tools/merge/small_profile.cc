#include "tests/unit/tools/merge/small_profile.h"

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string ThreadText(const std::string& members, const std::string& samples, const std::string& markers) {
  return Concat(R"({"processType":"default","processStartupTime":1,"processShutdownTime":null,"registerTime":1,)",
                R"("unregisterTime":50,"pausedRanges":[{"startTime":4,"endTime":null,"reason":"profiler-paused"}],)",
                R"("usedInnerWindowIDs":[7],)", members, R"(,"samples":)", samples, R"(,"markers":)", markers, "}");
}

}  // namespace

std::string SmallProfile::Text() const {
  const std::string boot = boot_id.empty() ? "" : Concat(R"("bootId":")", boot_id, "\",");
  const std::string meta = Concat(
      R"({"preprocessedProfileVersion":)", version, R"(,"version":34,"startTime":)", start_ms,
      R"(,"startTimeAsClockMonotonicNanosecondsSinceBoot":)", monotonic_ns, ",", boot,
      R"("profilingStartTime":0,"profilingEndTime":60,"interval":)", interval_ms,
      R"(,"product":"demo","oscpu":"Linux","sampleUnits":{"time":")", time_unit, R"(","threadCPUDelta":")", cpu_unit,
      R"("},"symbolicated":true,"categories":)", categories, R"(,"markerSchema":)", schemas,
      R"(,"extra":[{"label":"Recording","entries":[{"label":"End","format":"string","value":"exit status 0"}]},)",
      R"-({"label":"demo (100)","entries":[]}]})-");
  const std::string shared = Concat(
      R"({"stringArray":["lib.so","main",")", function, R"(","x.c","Step","red"],)",
      R"("resourceTable":{"length":1,"lib":[0],"name":[0],"host":[null],"type":[1]},)",
      R"("nativeSymbols":{"length":1,"libIndex":[0],"address":[16],"name":[2],"functionSize":[32]},)",
      R"("sources":{"length":1,"id":[null],"filename":[3],"startLine":[1],"startColumn":[1],"sourceMapURL":[null],)",
      R"("content":[null]},"sourceLocationTable":{"length":1,"source":[0],"line":[9],"column":[2]},)",
      R"("funcTable":{"length":2,"name":[1,2],"isJS":[false,false],"relevantForJS":[false,false],"resource":[0,0],)",
      R"("source":[null,0],"lineNumber":[null,3],"columnNumber":[null,null],"originalLocation":[null,0]},)",
      R"("frameTable":{"length":2,"address":[4,20],"inlineDepth":[0,0],"category":[null,1],"subcategory":[null,1],)",
      R"("func":[0,1],"nativeSymbol":[null,0],"innerWindowID":[null,7],"line":[null,4],"column":[null,null],)",
      R"("originalLocation":[null,0]},"stackTable":{"length":2,"frame":[0,1],"prefixOffset":[0,1]}})");
  const std::string libs =
      R"([{"arch":"x86_64","name":"lib.so","path":"/lib.so","debugName":"lib.so","debugPath":"/lib.so",)"
      R"("breakpadId":"ABEFD98494C1DB7B0146A054B0B08C320","codeId":null}])";
  const std::string first =
      ThreadText(R"("name":"demo","isMainThread":true,"processName":"demo","pid":"100","parentPid":"50","tid":100)",
                 R"({"length":3,"stack":[1,1,0],"timeDeltas":[2,1,1],"weight":null,"weightType":"samples",)"
                 R"("threadCPUDelta":[null,1000000,1000000]},"nativeAllocations":{"length":1,"time":[2],"weight":[64],)"
                 R"("weightType":"bytes","stack":[1],"memoryAddress":[4096],"threadId":[100]})",
                 R"({"length":4,"name":[4,4,4,4],"startTime":[1,2,3,null],"endTime":[null,5,null,6],"phase":[0,1,2,3],)"
                 R"("category":[1,0,0,0],"data":[{"type":"Step","what":5,"due":8,"innerWindowID":7,)"
                 R"("cause":{"tid":100,"time":1,"stack":1}},null,{"type":"Loose","what":5,"due":8},null]})");
  const std::string second = ThreadText(
      R"("name":"later","isMainThread":true,"processName":"later","pid":"100.1","parentPid":"100","tid":100)",
      R"({"length":1,"stack":[null],"time":[9],"weight":[2],"weightType":"samples","threadCPUDelta":[null]})",
      R"({"length":0,"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"data":[]})");
  const std::string counters =
      R"([{"name":"heap","category":"Memory","description":"","pid":"100.1","mainThreadIndex":1,)"
      R"("samples":{"length":2,"time":[1,2],"count":[0,30],"number":[0,2]},"display":{"graphType":"line-accumulated",)"
      R"("unit":"bytes","color":"teal","markerSchemaLocation":null,"sortWeight":10,"label":"heap","tooltipRows":[]}}])";
  const std::string overheads =
      R"([{"pid":"100.1","mainThreadIndex":1,"samples":{"length":2,"time":[3,5],"locking":[0,0],"counters":[1,1],)"
      R"("expiredMarkerCleaning":[2,2],"threads":[30,50],"lateness":[4,9]},"samplerCPUTime":0.25}])";
  const std::string pages = R"([{"tabID":3,"innerWindowID":7,"url":"http://a/","embedderInnerWindowID":0},)"
                            R"({"tabID":3,"innerWindowID":8,"url":"http://b/","embedderInnerWindowID":7}])";
  return Concat(R"({"meta":)", meta, R"(,"libs":)", libs, R"(,"pages":)", pages, R"(,"counters":)", counters,
                R"(,"profilerOverhead":)", overheads, R"(,"profilingLog":{"100":{"a":1}},"shared":)", shared,
                R"(,"threads":[)", first, ",", second, "]}");
}

}  // namespace geckoprof
