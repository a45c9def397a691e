// The smallest profiles of the two formats that use every part the rules look at, as text. Tests spoil one place at a
// time.
#ifndef GECKOPROF_TESTS_UNIT_TOOLS_CHECK_VALID_PROFILE_TEXT_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_CHECK_VALID_PROFILE_TEXT_H_

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/check/profile_checker.h"

namespace geckoprof {

// Places that tests change are unlike every other text of the profile.
inline constexpr char kValidGecko[] = R"json({
"libs":[{"start":4096,"end":8192,"offset":0,"name":"demo","path":"/demo","debugName":"demo","debugPath":"/demo",
 "breakpadId":"ABEFD98494C1DB7B0146A054B0B08C320","codeId":"84d9efabc194","arch":""},
 {"start":12288,"end":16384,"offset":0,"name":"libc","path":"/libc","debugName":"libc","debugPath":"/libc",
 "breakpadId":"BBEFD98494C1DB7B0146A054B0B08C320","codeId":null,"arch":""}],
"meta":{"version":34,"startTime":1000.5,"interval":1,"profilingStartTime":1,"profilingEndTime":99,"product":"demo",
 "sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"},
 "categories":[{"name":"Idle","color":"transparent","subcategories":["Other"]},
  {"name":"User","color":"grey","subcategories":["Other","Deep"]}],
 "markerSchema":[{"name":"Text","tableLabel":"{marker.name} - {marker.data.name}","chartLabel":"{marker.data.n ? 'x' : 'y'}",
  "display":["marker-chart","marker-table"],"graphs":[{"key":"n","type":"bar"}],
  "data":[{"key":"name","label":"Details","format":"string"},{"key":"n","format":"integer"},{"key":"id","format":"unique-string"},
   {"key":"ms","format":"duration"},{"key":"list","format":"list"},{"key":"who","format":"pid"},
   {"key":"rows","format":{"type":"table","columns":[{"label":"a"},{"label":"b"}]}},{"label":"Description","value":"A text."}]}]},
"pausedRanges":[{"startTime":50,"endTime":51,"reason":"profiler-paused"},{"startTime":60,"endTime":null,"reason":"collecting"}],
"counters":[{"name":"malloc","category":"Memory","description":"d",
 "samples":{"schema":{"time":0,"count":1,"number":2},"data":[[10,0,0],[11,5,1]]}}],
"sources":{"schema":{"id":0,"filename":1},"data":[]},"pages":[{"innerWindowID":7,"url":"x"}],"profilingLog":{},
"threads":[{"processType":"default","name":"GeckoMain","registerTime":1,"unregisterTime":98,"pid":100,"tid":100,
 "samples":{"schema":{"stack":0,"time":1,"eventDelay":2,"argumentValues":3,"threadCPUDelta":4},
  "data":[[1,10.25],[2,11.5,0,null,500],[null,12.75,null,null,0]]},
 "markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},
  "data":[[3,20,0,0,1],[3,21,22,1,1,{"type":"Text","name":"n","n":3,"id":2,"ms":1.5,"list":["a"],"who":"12","rows":[["c","d"]],
   "stack":{"name":"","samples":{"schema":{"stack":0,"time":1},"data":[[2,19]]},"pid":100,"tid":100}}],
   [3,23,0,2,1],[3,0,24,3,1]]},
 "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2]]},
 "frameTable":{"schema":{"location":0,"relevantForJS":1,"innerWindowID":2,"implementation":3,"line":4,"column":5,
  "category":6,"subcategory":7},"data":[[0,false,0],[1,false,0,null,null,null,1,0],[2,true,0,null,7,8,1,1]]},
 "stringTable":["(root)","0x1010","Label","Marker"]
},
 {"processType":"default","name":"worker","registerTime":2,"unregisterTime":null,"pid":100,"tid":101,
 "samples":{"schema":{"stack":0,"time":1,"eventDelay":2},"data":[]},
 "markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[]},
 "stackTable":{"schema":{"prefix":0,"frame":1},"data":[]},
 "frameTable":{"schema":{"location":0,"relevantForJS":1,"innerWindowID":2,"line":3,"column":4,"category":5,
  "subcategory":6},"data":[]},"stringTable":[]}],
"processes":[{"libs":[],"meta":{"version":34,"startTime":1003,"interval":2,"markerSchema":[],
 "categories":[{"name":"Idle","color":"transparent","subcategories":["Other"]},
  {"name":"User","color":"grey","subcategories":["Other","Deep"]}]},
 "threads":[{"processType":"tab","name":"GeckoMain","registerTime":3,"unregisterTime":null,"pid":200,"tid":200,
 "samples":{"schema":{"stack":0,"time":1,"eventDelay":2},"data":[[0,33]]},
 "markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[]},
 "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},
 "frameTable":{"schema":{"location":0,"relevantForJS":1,"innerWindowID":2,"line":3,"column":4,"category":5,
  "subcategory":6},"data":[[0,false,0]]},"stringTable":["(root)"]}],"processes":[]}]
})json";

inline constexpr char kValidProcessed[] = R"json({
"meta":{"preprocessedProfileVersion":69,"version":34,"startTime":1000.5,"interval":1,"product":"demo","symbolicated":true,
 "sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"},"initialVisibleThreads":[0,1],
 "categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],
 "extra":[{"label":"Losses","entries":[{"label":"late","format":"integer","value":3}]}],
 "markerSchema":[{"name":"Text","display":["marker-table"],"description":"d","fields":[{"key":"name","format":"string"}]}]},
"libs":[{"name":"demo","path":"/demo","debugName":"demo","debugPath":"/demo",
 "breakpadId":"ABEFD98494C1DB7B0146A054B0B08C320","codeId":null,"arch":"x86_64"}],
"counters":[{"name":"c","category":"Memory","description":"d","pid":"100","mainThreadIndex":0,
 "samples":{"length":2,"time":[1,2.5],"count":[0,4]},"display":{"graphType":"line-rate","unit":"","color":"purple",
 "markerSchemaLocation":null,"sortWeight":1,"label":"l","tooltipRows":[]}}],
"shared":{"stringArray":["main","inner","demo","a.cc","Marker"],
 "resourceTable":{"length":1,"lib":[0],"name":[2],"host":[null],"type":[1]},
 "nativeSymbols":{"length":1,"libIndex":[0],"address":[4096],"name":[0],"functionSize":[128]},
 "sources":{"length":1,"id":[null],"filename":[3],"startLine":[1],"startColumn":[1],"sourceMapURL":[null],"content":[null]},
 "sourceLocationTable":{"length":0,"source":[],"line":[],"column":[]},
 "funcTable":{"length":2,"name":[0,1],"isJS":[false,false],"relevantForJS":[false,false],"resource":[0,-1],"source":[0,null],
  "lineNumber":[10,null],"columnNumber":[null,null],"originalLocation":[null,null]},
 "frameTable":{"length":3,"address":[4100,4200,4200],"inlineDepth":[0,0,1],"category":[0,0,null],"subcategory":[0,0,null],
  "func":[0,0,1],"nativeSymbol":[0,0,0],"innerWindowID":[null,null,null],"line":[11,12,13],"column":[null,null,null],
  "originalLocation":[null,null,null]},
 "stackTable":{"length":3,"frame":[0,1,2],"prefixOffset":[0,1,1]}},
"threads":[{"processType":"default","processStartupTime":0,"processShutdownTime":null,"registerTime":1,"unregisterTime":98,
 "pausedRanges":[],"name":"demo","isMainThread":true,"pid":"100","tid":100,
 "samples":{"length":3,"stack":[0,2,null],"time":[10.25,11.5,12.75],"weight":[1,2,3],"weightType":"samples",
  "threadCPUDelta":[null,500,0]},
 "markers":{"length":2,"name":[4,4],"startTime":[20,21],"endTime":[null,22],"phase":[0,1],"category":[0,0],
  "data":[null,{"type":"Text","name":"n","cause":{"stack":1,"time":19}}]},
 "nativeAllocations":{"length":1,"time":[9],"weight":[-8],"weightType":"bytes","stack":[1]}},
 {"processType":"default","processStartupTime":0,"processShutdownTime":null,"registerTime":3,"unregisterTime":null,
 "pausedRanges":[],"name":"worker","isMainThread":false,"pid":"100","tid":"101",
 "samples":{"length":2,"stack":[1,1],"timeDeltas":[30,0.5],"weight":null,"weightType":"samples"},
 "markers":{"length":0,"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"data":[]}}]
})json";

inline ProfileVerdict CheckText(std::string text) {
  const absl::StatusOr<JsonDocument> document = JsonDocument::Parse(std::move(text), JsonDocument::Utf8::kStrict);
  INFO(document.status().message());
  REQUIRE(document.ok());
  return CheckProfile(*document, 100);
}

// `from` must stand in the text exactly once, so that a change of the text cannot turn a test into one of something
// else.
inline std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t position = text.find(from);
  INFO("to be replaced: " << from);
  REQUIRE(position != std::string::npos);
  REQUIRE(text.find(from, position + 1) == std::string::npos);
  return text.replace(position, from.size(), to);
}

struct Spoiled {
  const char* from;
  const char* to;
  const char* fault;  // the first of the list
};

inline void RequireFaults(const char* valid, const std::vector<Spoiled>& cases) {
  for (const Spoiled& one : cases) {
    INFO(one.from << " -> " << one.to);
    const ProfileVerdict verdict = CheckText(Replaced(valid, one.from, one.to));
    REQUIRE(verdict.faults.fault_count() > 0);
    CHECK(verdict.faults.faults()[0] == one.fault);
  }
}

inline void RequireWarnings(const char* valid, const std::vector<Spoiled>& cases) {
  for (const Spoiled& one : cases) {
    INFO(one.from << " -> " << one.to);
    const ProfileVerdict verdict = CheckText(Replaced(valid, one.from, one.to));
    CHECK(verdict.faults.faults() == std::vector<std::string>());
    REQUIRE(verdict.faults.warning_count() > 0);
    CHECK(verdict.faults.warnings()[0] == one.fault);
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_CHECK_VALID_PROFILE_TEXT_H_
