// The value of one field of a marker, as both output formats have it.
#ifndef GECKOPROF_STREAMING_MARKER_FIELD_WRITER_H_
#define GECKOPROF_STREAMING_MARKER_FIELD_WRITER_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/streaming/process_profile.h"

namespace geckoprof {

// Whether the declared format makes the text a row of the thread's string table (gecko-profile-format, "markers").
bool IsInStringTable(const MarkerTypeRow& type, std::string_view key);

// Writes the value; `text` is that of field.text. `zero_ns`: time zero of the output. Not for a kText that
// IsInStringTable.
void WriteMarkerFieldValue(const MarkerField& field, std::string_view text, int64_t zero_ns, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_MARKER_FIELD_WRITER_H_
