#ifndef GECKOPROF_TOOLS_JSON_JSON_PARSER_H_
#define GECKOPROF_TOOLS_JSON_JSON_PARSER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/json/consumed_text.h"
#include "tools/json/json_tree_builder.h"

namespace geckoprof {

// JsonParser: one pass over a JSON text (RFC 8259) that tells a JsonTreeBuilder what it meets. Strings are unescaped in
// place. Lifetime: the text and the tree outlive it. One parser a text.
//
// Hostile input: recursive descent, safe since the depth is limited; no number is longer to read than its digits; a
// byte of zero stands behind every text and ends each loop.
class JsonParser {
 public:
  struct Limits {
    int depth;
    size_t members;  // of one object
    size_t values;   // of the text, names included
  };

  struct Options {
    bool only_utf8 = false;
    // Objects that are elements of arrays anywhere in a member of this name are checked and become null; empty: none.
    std::string_view without_objects_in = {};
  };

  JsonParser(ConsumedText* text, JsonTree* tree, const Options& options, const Limits& limits)
      : text_(text), builder_(tree), options_(options), limits_(limits), at_(text->data()) {}

  // False: there is a reason, and the byte it is about.
  bool Parse();
  const std::string& reason() const { return reason_; }
  size_t offset() const { return offset_; }

 private:
  bool Fail(std::string reason, const char* position);
  const char* end() const { return text_->data() + text_->size(); }
  void SkipSpace() {
    while (static_cast<unsigned char>(*at_) <= ' ' && IsSpace(*at_)) ++at_;
  }
  static bool IsSpace(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }
  bool Value();
  bool Array();
  bool Element();
  bool Member(bool is_thinned);
  bool Object();
  bool Enter();
  bool Word(std::string_view word);
  bool Number();
  bool LongNumber(const char* first);
  bool String(std::string_view* text);
  bool EscapedString(char* first, char* stopped, std::string_view* text);
  bool Escape(char** to);
  bool HexDigits(unsigned* number);

  ConsumedText* text_;
  JsonTreeBuilder builder_;
  const Options options_;
  const Limits limits_;
  char* at_;
  int depth_ = 0;
  bool in_thinned_member_ = false;  // options_.without_objects_in
  bool is_left_out_ = false;        // what is being read
  size_t values_ = 0;
  std::string reason_;
  size_t offset_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_PARSER_H_
