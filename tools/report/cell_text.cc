#include "tools/report/cell_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

std::string FixedText(double number, int decimals) {
  char buffer[400];  // a double has at most 309 digits before the point
  snprintf(buffer, sizeof buffer, "%.*f", decimals, number);
  return buffer;
}

std::string GroupedText(double number) {
  constexpr double kLeastWithADecimal = 0.05;  // less would be written as 0.0
  if (number != 0 && std::abs(number) < kLeastWithADecimal) {
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%.2g", number);
    return buffer;
  }
  const std::string digits = FixedText(number, number == std::floor(number) ? 0 : 1);
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < point && (point - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string PercentText(double part, double whole) {
  return Concat(FixedText(whole > 0 ? 100 * part / whole : 0, 1), " %");
}

std::string DurationText(double duration_ms) {
  if (duration_ms >= 1000) return Concat(FixedText(duration_ms / 1000, 3), " s");
  if (duration_ms == 0) return "0";
  return duration_ms >= 1 ? Concat(FixedText(duration_ms, 1), " ms") : Concat(FixedText(duration_ms * 1000, 1), " us");
}

std::string BytesText(double bytes) {
  if (bytes < 1024) return Concat(GroupedText(bytes), " bytes");
  constexpr double kMiB = 1024 * 1024, kGiB = 1024 * kMiB;
  if (bytes < kMiB) return Concat(FixedText(bytes / 1024, 1), " KiB");
  return bytes < kGiB ? Concat(FixedText(bytes / kMiB, 1), " MiB") : Concat(FixedText(bytes / kGiB, 1), " GiB");
}

namespace {

constexpr std::pair<std::string_view, std::string_view> kLongForms[] = {
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
    {"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
};

// A pair of brackets that stands in no other.
struct BracketPair {
  size_t open, close;
};

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Where the operator's name ends if one begins at `at`: its signs are no brackets.
size_t AfterOperator(std::string_view name, size_t at) {
  constexpr std::string_view kWord = "operator";
  if (!name.substr(at).starts_with(kWord) || (at > 0 && IsWord(name[at - 1]))) return at;
  // Those with brackets, the longer ones first; a template's arguments may follow: "operator-<int>".
  constexpr std::string_view kSigns[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<",
                                         ">>",  "<=",  ">=",  "->",  "<",  ">"};
  const size_t end = at + kWord.size();
  const std::string_view rest = name.substr(end);
  for (const std::string_view signs : kSigns) {
    if (rest.starts_with(signs)) return end + signs.size();
  }
  return end;
}

// A list follows a word at once; that of "operator< <int>" has a space before it, which tells the two apart.
bool IsList(std::string_view name, size_t open) {
  if (open == 0 || name[open - 1] == ':') return false;
  return name[open - 1] != ' ' || (open > 1 && name[open] == '<' && name[open - 2] == '<');
}

// Empty where brackets are not in pairs.
std::vector<BracketPair> TopPairs(std::string_view name) {
  constexpr std::string_view kOpen = "<([{", kClose = ">)]}";
  std::vector<BracketPair> pairs;
  std::vector<size_t> open;  // positions
  for (size_t i = 0; i < name.size(); ++i) {
    i = AfterOperator(name, i);
    if (i >= name.size()) break;
    if (name[i] == '>' && i > 0 && name[i - 1] == '-') continue;  // an arrow
    if (kOpen.find(name[i]) != std::string_view::npos) open.push_back(i);
    const size_t kind = kClose.find(name[i]);
    if (kind == std::string_view::npos) continue;
    if (open.empty() || name[open.back()] != kOpen[kind]) return {};
    if (open.size() == 1) pairs.push_back({open[0], i});
    open.pop_back();
  }
  return open.empty() ? pairs : std::vector<BracketPair>();
}

// The name without what stands in its outermost pairs of `bracket`. A pair that follows no word is no list: "(anonymous
// namespace)::f", "<A as B>::f", "tick (a.js:1)".
std::string WithoutLists(const std::string& name, char bracket) {
  std::string text;
  size_t done = 0;
  for (const BracketPair& pair : TopPairs(name)) {
    constexpr size_t kDots = 3;
    if (name[pair.open] != bracket || pair.close - pair.open - 1 <= kDots || !IsList(name, pair.open)) continue;
    text.append(name, done, pair.open + 1 - done).append("...");
    done = pair.close;
  }
  return text.append(name, done);
}

}  // namespace

std::string ShortFunctionName(std::string_view name, size_t width) {
  std::string text(name);
  if (DisplayWidth(text) <= width) return text;
  for (const auto& [from, to] : kLongForms) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  for (const char bracket : {'(', '<'}) {
    if (DisplayWidth(text) > width) text = WithoutLists(text, bracket);
  }
  return text;
}

}  // namespace geckoprof
