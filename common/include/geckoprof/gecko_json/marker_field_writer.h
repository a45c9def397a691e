// Writes the value of one field of a marker, for both output formats.
#ifndef GECKOPROF_GECKO_JSON_MARKER_FIELD_WRITER_H_
#define GECKOPROF_GECKO_JSON_MARKER_FIELD_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Returns true if the declared format makes the value a row of the thread's string table (gecko-profile-format,
// "markers").
bool IsInStringTable(const MarkerTypeRow& type, std::string_view key);

// Returns the value for the string table. A type's own code may write a value that is no text. The result is then its
// JSON, written to `room`.
std::string_view TableText(const MarkerField& field, std::string_view text, int64_t zero_ns, std::string* room);

// Writes the value. `text` is the text of field.text, and `zero_ns` is time zero of the output. If the declared format
// shows one value, a list or an object is written as the text of its JSON. This happens if types of one name declare
// several formats, which become "string". REQUIRES: not IsInStringTable.
void WriteMarkerFieldValue(const MarkerField& field, std::string_view text, const MarkerTypeRow& type,
                           std::string_view key, int64_t zero_ns, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_MARKER_FIELD_WRITER_H_
