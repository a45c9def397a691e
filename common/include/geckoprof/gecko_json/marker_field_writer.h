// The value of one field of a marker, as both output formats have it.
#ifndef GECKOPROF_GECKO_JSON_MARKER_FIELD_WRITER_H_
#define GECKOPROF_GECKO_JSON_MARKER_FIELD_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Whether the declared format makes the value a row of the thread's string table (gecko-profile-format, "markers").
bool IsInStringTable(const MarkerTypeRow& type, std::string_view key);

// The value for the string table; of what is no text, as its type's own code may write it, as it reads in JSON, for
// which there is `room`.
std::string_view TableText(const MarkerField& field, std::string_view text, int64_t zero_ns, std::string* room);

// Writes the value; `text` is that of field.text. `zero_ns`: time zero of the output. A list or an object is written as
// the text that it is in JSON where the declared format shows one value: that of types of one name is "string" where
// they have several. Not for one that IsInStringTable.
void WriteMarkerFieldValue(const MarkerField& field, std::string_view text, const MarkerTypeRow& type,
                           std::string_view key, int64_t zero_ns, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_MARKER_FIELD_WRITER_H_
