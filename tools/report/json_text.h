#ifndef GECKOPROF_TOOLS_REPORT_JSON_TEXT_H_
#define GECKOPROF_TOOLS_REPORT_JSON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {

// JsonText: writes the few kilobytes of a report as JSON. It keeps the commas and the indentation; its caller, that
// objects get keys and arrays do not.
class JsonText {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);
  void String(std::string_view text);
  void Integer(int64_t number);
  // Shortest form that reads back as the same number; null where there is none (not finite).
  void Number(double number);
  void Null();
  void Bool(bool value);

  // The finished text, with a line end.
  std::string Take() &&;

 private:
  void Open(char bracket);
  void Close(char bracket);
  void BeforeValue();
  void NewLine();
  void Quote(std::string_view text);

  std::string text_;
  size_t depth_ = 0;
  bool first_ = true;  // nothing stands in the innermost bracket yet
  bool after_key_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_JSON_TEXT_H_
