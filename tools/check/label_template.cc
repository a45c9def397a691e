#include "tools/check/label_template.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kNames[] = {"name", "category", "start", "end", "duration"};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes 'text' off the front.
bool TakeQuoted(std::string_view* text) {
  *text = Trimmed(*text);
  if (text->empty() || text->front() != '\'') return false;
  const size_t close = text->find('\'', 1);
  if (close == std::string_view::npos) return false;
  *text = Trimmed(text->substr(close + 1));
  return true;
}

// 'a' : 'b'
bool IsChoice(std::string_view text) {
  if (!TakeQuoted(&text) || text.empty() || text.front() != ':') return false;
  text.remove_prefix(1);
  return TakeQuoted(&text) && text.empty();
}

// In a choice, the viewer knows such keys alone.
bool IsWord(std::string_view key) {
  return std::all_of(key.begin(), key.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

// What stands between braces.
void ParseExpression(std::string_view expression, LabelTemplate* result) {
  const size_t question = expression.find('?');
  const std::string_view path = Trimmed(expression.substr(0, question));
  constexpr std::string_view kMarker = "marker.", kData = "marker.data.";
  const bool choice = question != std::string_view::npos;
  if (path.starts_with(kData)) {
    const std::string_view key = path.substr(kData.size());
    if (!key.empty() && key.find('.') == std::string_view::npos &&
        (!choice || (IsWord(key) && IsChoice(expression.substr(question + 1))))) {
      result->keys.push_back(key);
      return;
    }
  } else if (path.starts_with(kMarker) && !choice &&
             std::find(std::begin(kNames), std::end(kNames), path.substr(kMarker.size())) != std::end(kNames)) {
    return;
  }
  result->fault = Concat("\"{", expression, "}\" is no expression of a label");
}

}  // namespace

LabelTemplate ParseLabelTemplate(std::string_view label) {
  LabelTemplate result;
  for (size_t position = 0; result.fault.empty();) {
    const size_t open = label.find('{', position);
    if (open == std::string_view::npos) break;
    // The viewer knows no quotes here.
    const size_t close = label.find('}', open);
    if (close == std::string_view::npos) {
      result.fault = "a \"{\" without its \"}\"";
      break;
    }
    if (close > open + 1) ParseExpression(label.substr(open + 1, close - open - 1), &result);  // "{}" is text
    position = close + 1;
  }
  return result;
}

}  // namespace geckoprof
