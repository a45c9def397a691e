#include "tools/scrub/text_scrubber.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"

namespace geckoprof {
namespace {

constexpr std::string_view kLeftOut = "(left out)";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kQuotes = "\"'`";
// Each of these bytes ends a path in the middle of a text.
constexpr std::string_view kPathEnds = " \t\r\n\"'`<>()[]{}|,;";
// Each of these bytes ends an address, which may have any other.
constexpr std::string_view kAddressEnds = " \t\r\n\"`<>";
constexpr std::string_view kSlashes = "/\\";

bool Contains(std::string_view set, char byte) { return set.find(byte) != std::string_view::npos; }

bool IsWordByte(char byte) {
  const auto unsigned_byte = static_cast<unsigned char>(byte);
  return absl::ascii_isalnum(unsigned_byte) || byte == '_' || unsigned_byte >= 0x80;
}

size_t FindEnd(std::string_view text, size_t begin, std::string_view ends) {
  return std::min(text.find_first_of(ends, begin), text.size());
}

// The schemes whose addresses name a part of a browser, not of a network.
bool IsInternal(std::string_view scheme) {
  constexpr std::string_view kInternal[] = {"chrome", "resource", "moz-src", "self-hosted"};
  return std::find(std::begin(kInternal), std::end(kInternal), scheme) != std::end(kInternal);
}

constexpr size_t kRootBytes = 64;  // IsRoot needs no more of a text

// Returns whether the text begins with an absolute path: "/", "//host", "C:\", "\\server" or "\folder\".
bool IsRoot(std::string_view text) {
  const auto is_name = [&](size_t i) { return i < text.size() && (IsWordByte(text[i]) || Contains(".-~?", text[i])); };
  if (text.starts_with("//")) return is_name(2);
  if (text.starts_with('/')) return is_name(1);
  if (text.starts_with("\\\\")) return is_name(2);
  if (text.starts_with('\\')) {
    const size_t next = text.find_first_of("\\ ", 1);
    return is_name(1) && next != std::string_view::npos && text[next] == '\\';
  }
  return text.size() > 3 && absl::ascii_isalpha(static_cast<unsigned char>(text[0])) && text[1] == ':' &&
         Contains(kSlashes, text[2]) && is_name(3);
}

// Returns the part after the last slash, without slashes at the end. The name of a user's own folder is left out.
std::string_view LastPart(std::string_view path) {
  const size_t last = path.find_last_not_of(kSlashes);
  path = path.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const size_t slash = path.find_last_of(kSlashes);
  if (slash == std::string_view::npos) return path;
  const std::string_view folder = path.substr(0, slash);
  const bool is_user = folder.ends_with("/home") || folder.ends_with("/Users") || folder.ends_with("\\Users");
  return is_user ? kLeftOut : path.substr(slash + 1);
}

// Returns the end of a path with blanks. The next word belongs to it if it has a slash and is no path of its own.
size_t ExtendOverBlanks(std::string_view text, size_t end, char slash) {
  while (end < text.size() && text[end] == ' ') {
    const size_t next = FindEnd(text, end + 1, kPathEnds);
    if (!Contains(text.substr(end + 1, next - end - 1), slash) || IsRoot(text.substr(end + 1, kRootBytes))) break;
    end = next;
  }
  return end;
}

// Returns the end of the path at `begin`.
size_t EndOfPath(std::string_view text, size_t begin) {
  if (begin == 0) return text.size();  // up to its last slash, whatever comes before that
  const size_t quote = Contains(kQuotes, text[begin - 1]) ? text.find(text[begin - 1], begin) : std::string_view::npos;
  if (quote != std::string_view::npos) return quote;
  const size_t end = FindEnd(text, begin, kPathEnds);
  return text[begin] == '/' ? end : ExtendOverBlanks(text, end, '\\');
}

// "scheme://rest" in a text. `begin` is npos if there is none.
struct Address {
  size_t begin = std::string_view::npos;
  size_t rest = 0, end = 0;
  std::string_view scheme;
};

// Returns the first address at or after `from`.
Address FindAddress(std::string_view text, size_t from) {
  for (size_t at = text.find("://", from); at != std::string_view::npos; at = text.find("://", at + 3)) {
    size_t begin = at;
    while (begin > from && (IsWordByte(text[begin - 1]) || Contains("+-.", text[begin - 1]))) --begin;
    const size_t end = FindEnd(text, at + 3, kAddressEnds);
    if (begin < at && end > at + 3) return {begin, at + 3, end, text.substr(begin, at - begin)};
  }
  return {};
}

// Returns what is left of an address.
std::string Shortened(std::string_view text, Address& address) {
  std::string left = std::string(text.substr(address.begin, address.rest - address.begin));
  if (address.scheme == "file") {
    address.end = address.begin == 0 ? text.size() : ExtendOverBlanks(text, address.end, '/');
    return left.append("/").append(LastPart(text.substr(address.rest, address.end - address.rest)));
  }
  const bool is_internal = IsInternal(address.scheme);
  return left.append(is_internal ? text.substr(address.rest, address.end - address.rest) : kLeftOut);
}

// Calls use(name) for each part of a path that is the name of a user's own folder, and has something in it.
template <typename Use>
void ForEachUser(std::string_view text, const Use& use) {
  for (const std::string_view folder : {"/home/", "/Users/", "\\Users\\"}) {
    for (size_t at = text.find(folder); at != std::string_view::npos; at = text.find(folder, at + 1)) {
      const size_t begin = at + folder.size();
      const size_t end = text.find_first_of(kSlashes, begin);
      if (end != std::string_view::npos && end > begin) use(text.substr(begin, end - begin));
    }
  }
}

}  // namespace

bool TextScrubber::AddWord(std::string_view word) {
  if (word.size() < kMinWordBytes || !IsWordByte(word[0])) return false;
  if (!words_.emplace(word).second) return true;
  const auto start_end = std::find_if_not(word.begin(), word.end(), IsWordByte);
  std::vector<std::string>& same = by_start_[std::string(word.begin(), start_end)];
  same.insert(
      std::find_if(same.begin(), same.end(), [&](const std::string& each) { return each.size() < word.size(); }),
      std::string(word));
  return true;
}

void TextScrubber::AddUsersIn(std::string_view text) {
  ForEachUser(text, [&](std::string_view name) { AddWord(name); });
}

std::string TextScrubber::Scrub(std::string_view text) const {
  // A picture of Firefox's, for example. Its data may have any byte.
  if (text.starts_with("data:") && text.size() > 5) return std::string("data:").append(kLeftOut);
  std::string out;
  Address address = FindAddress(text, 0);
  bool is_option = false;  // in a word such as -I/usr/include
  for (size_t at = 0; at < text.size();) {
    if (at == address.begin) {
      out.append(Shortened(text, address));
      at = address.end;
      address = FindAddress(text, at);
      continue;
    }
    const char before = at > 0 ? text[at - 1] : ' ';
    if (Contains(kBlanks, before)) is_option = text[at] == '-';
    const bool may_begin = !IsWordByte(before) && !Contains("./<)]\\", before);
    if ((!may_begin && !(is_option && text[at] == '/')) || !IsRoot(text.substr(at, kRootBytes))) {
      out.push_back(text[at++]);
      continue;
    }
    const size_t end = EndOfPath(text, at);
    out.append(LastPart(text.substr(at, end - at)));
    at = end;
    is_option = false;
    if (address.begin < at) address = FindAddress(text, at);
  }
  return WithoutWords(out);
}

std::string TextScrubber::WithoutWords(std::string_view text) const {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (!IsWordByte(text[at])) {
      out.push_back(text[at++]);
      continue;
    }
    const size_t end = static_cast<size_t>(
        std::find_if_not(text.begin() + static_cast<ptrdiff_t>(at), text.end(), IsWordByte) - text.begin());
    size_t left_out = 0;
    if (const auto same = by_start_.find(std::string(text.substr(at, end - at))); same != by_start_.end()) {
      for (const std::string& word : same->second) {
        const size_t word_end = at + word.size();
        const bool is_whole = word_end >= text.size() || !IsWordByte(text[word_end]) || word_end == end;
        if (left_out == 0 && is_whole && text.substr(at, word.size()) == word) left_out = word.size();
      }
    }
    if (left_out != 0) {
      out.append(kLeftOut);
      at += left_out;
    } else {
      out.append(text.substr(at, end - at));
      at = end;
    }
  }
  return out;
}

std::string_view ProgramOfCommand(std::string_view command) {
  const std::string_view first = command.substr(0, command.find(' '));
  return LastPart(first);
}

}  // namespace geckoprof
