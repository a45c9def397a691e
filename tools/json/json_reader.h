#ifndef GECKOPROF_TOOLS_JSON_JSON_READER_H_
#define GECKOPROF_TOOLS_JSON_JSON_READER_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "tools/json/consumed_text.h"
#include "tools/json/json_tree.h"

namespace geckoprof {

struct JsonReadOptions {
  size_t max_depth;
  size_t max_members;  // of one object
  size_t max_values;   // of the text; the names of members count
  bool only_utf8 = false;
  // Objects that are elements of arrays, anywhere in a member of this name, are checked and become null. Empty: none.
  std::string_view without_objects_in = {};
};

// Reads a JSON text (RFC 8259) into a new tree, by RapidJSON. The text is unescaped in place, and its memory goes back
// to the system on the way. Half a surrogate pair becomes U+FFFD, since JSON.stringify writes such. Numbers become the
// nearest double, or an integer where they have neither fraction nor exponent and 64 bits hold them.
//
// Hostile input: RapidJSON recurses, at most as deep as `max_depth`. The zero behind the text ends each of its loops.
// An error names the byte: "not valid JSON at byte 7: Missing a name for object member.".
[[nodiscard]] absl::Status ReadJson(ConsumedText* text, JsonTree* tree, const JsonReadOptions& options);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_READER_H_
