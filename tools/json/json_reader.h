#ifndef GECKOPROF_TOOLS_JSON_JSON_READER_H_
#define GECKOPROF_TOOLS_JSON_JSON_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "tools/json/json_tree.h"

namespace geckoprof {

// ConsumedText: a text that is read once from its beginning to its end, and whose memory goes back to the system behind
// the reader. So what is made of it may grow while it shrinks.
class ConsumedText {
 public:
  explicit ConsumedText(std::string text) : text_(std::move(text)) {}
  ConsumedText(const ConsumedText&) = delete;
  ConsumedText& operator=(const ConsumedText&) = delete;

  char* data() { return text_.data(); }
  size_t size() const { return text_.size(); }

  // States that the bytes before the position are never read again. They may change from now on.
  void ReadUpTo(const char* position) {
    if (static_cast<size_t>(position - text_.data()) >= released_ + kStepBytes) Release(position);
  }
  size_t released_bytes() const { return released_; }

 private:
  static constexpr size_t kStepBytes = size_t{8} << 20;  // some huge pages at once

  void Release(const char* position);

  std::string text_;
  size_t released_ = 0;
};

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
