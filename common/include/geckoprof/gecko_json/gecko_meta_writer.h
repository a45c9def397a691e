// The head of a Gecko profile: meta, and the marker schema that the processed format shares.
#ifndef GECKOPROF_GECKO_JSON_GECKO_META_WRITER_H_
#define GECKOPROF_GECKO_JSON_GECKO_META_WRITER_H_

#include <string_view>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

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
