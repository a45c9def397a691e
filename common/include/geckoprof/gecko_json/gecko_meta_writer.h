// The head of a Gecko profile: meta, and the marker schema that the processed format shares.
#ifndef GECKOPROF_GECKO_JSON_GECKO_META_WRITER_H_
#define GECKOPROF_GECKO_JSON_GECKO_META_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

struct GeckoMachine {
  std::string oscpu;          // "Linux x86_64"
  std::string cpu_name;       // "Intel(R) Xeon(R) Processor"; empty if unknown
  uint32_t logical_cpus = 0;  // 0 if unknown
};

// By raw system calls.
GeckoMachine ReadGeckoMachine();

// What /proc/cpuinfo says. x86 names the processor in "model name"; arm64 has no such line.
void ReadCpuInfo(const std::string& cpuinfo, GeckoMachine& machine);

// The whole "meta" object. `is_parent`: with the facts about machine and product that only the first process of a file
// carries. `product`: what the profile is called; empty: the process's program.
void WriteGeckoMeta(const ProcessProfile& process, const GeckoCategories& categories, bool is_parent,
                    std::string_view product, JsonWriter& writer);

// One entry of markerSchema. `processed`: fields and description instead of data.
void WriteMarkerSchema(const MarkerTypeRow& type, bool processed, JsonWriter& writer);

// {"features":[...],"threads":[...],"interval":1,"capacity":...}
void WriteConfiguration(const ProcessProfile& process, JsonWriter& writer);

// {"losses":{...},"pauseHistogram":{...},...}: what became of the recording itself.
void WriteRecordingFacts(const ProcessProfile& process, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_META_WRITER_H_
