#include "tools/report/short_name.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr std::pair<std::string_view, std::string_view> kLongForms[] = {
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
    {"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
};

// A pair of brackets that stands in no other.
struct Group {
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
std::vector<Group> TopGroups(std::string_view name) {
  constexpr std::string_view kOpen = "<([{", kClose = ">)]}";
  std::vector<Group> groups;
  std::vector<size_t> open;  // positions
  for (size_t i = 0; i < name.size(); ++i) {
    i = AfterOperator(name, i);
    if (i >= name.size()) break;
    if (name[i] == '>' && i > 0 && name[i - 1] == '-') continue;  // an arrow
    if (kOpen.find(name[i]) != std::string_view::npos) open.push_back(i);
    const size_t kind = kClose.find(name[i]);
    if (kind == std::string_view::npos) continue;
    if (open.empty() || name[open.back()] != kOpen[kind]) return {};
    if (open.size() == 1) groups.push_back({open[0], i});
    open.pop_back();
  }
  return open.empty() ? groups : std::vector<Group>();
}

// The name without what stands in its outermost pairs of `bracket`. A pair that follows no word is no list: "(anonymous
// namespace)::f", "<A as B>::f", "tick (a.js:1)".
std::string WithoutLists(const std::string& name, char bracket) {
  std::string text;
  size_t done = 0;
  for (const Group& group : TopGroups(name)) {
    constexpr size_t kDots = 3;
    if (name[group.open] != bracket || group.close - group.open - 1 <= kDots || !IsList(name, group.open)) continue;
    text.append(name, done, group.open + 1 - done).append("...");
    done = group.close;
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
