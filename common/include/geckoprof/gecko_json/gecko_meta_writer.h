// Writes the head of a Gecko profile. It has the meta object, and the marker schema that the processed format shares.
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

// Reads the facts by raw system calls.
GeckoMachine ReadGeckoMachine();

// Returns the kernel's id of this boot. Profiles with the same id count the same CLOCK_MONOTONIC. The result is empty
// if a recording that began at this time of both clocks is of another boot, and maybe of another machine.
std::string ReadBootId(int64_t start_ns, double start_epoch_ms);

// Reads the text of /proc/cpuinfo. x86 names the processor in "model name", and arm64 has no such line.
void ReadCpuInfo(const std::string& cpuinfo, GeckoMachine& machine);

// Writes the whole "meta" object. `is_parent` adds the facts about machine and product, which only the first process of
// a file has. `product` is the name of the profile. If it is empty, the name is that of the process's program.
void WriteGeckoMeta(const ProcessProfile& process, const GeckoCategories& categories, bool is_parent,
                    std::string_view product, JsonWriter& writer);

// Writes one entry of markerSchema. The processed format has fields and a description instead of data.
void WriteMarkerSchema(const MarkerTypeRow& type, bool processed, JsonWriter& writer);

// {"features":[...],"threads":[...],"interval":1,"capacity":...}
void WriteConfiguration(const ProcessProfile& process, JsonWriter& writer);

// Writes {"losses":{...},"pauses":{...},...}, the facts about the recording itself.
void WriteRecordingFacts(const ProcessProfile& process, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_META_WRITER_H_
