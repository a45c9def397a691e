#include "tools/scrub/text_scrubber.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "absl/strings/ascii.h"

namespace geckoprof {
namespace {

constexpr std::string_view kLeftOut = "(left out)";
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kQuotes = "\"'`";
// The quotation marks of Unicode from U+2018 to U+201F begin with these bytes, and so does other punctuation.
constexpr std::string_view kTypographic = "\xe2\x80";
// Each of these bytes ends a part of a path in the middle of a text. All but the last two end the path.
constexpr std::string_view kPartEnds = " \t\r\n\"'`<>()[]{}|,;/\\";
constexpr std::string_view kPathEnds = kPartEnds.substr(0, kPartEnds.size() - 2);
// Each of these bytes ends an address, which may have any other.
constexpr std::string_view kAddressEnds = " \t\r\n\"`<>";
constexpr std::string_view kSlashes = "/\\";

bool Contains(std::string_view set, char byte) { return set.find(byte) != std::string_view::npos; }

bool IsAscii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

bool IsWordByte(char byte) { return absl::ascii_isalnum(static_cast<unsigned char>(byte)) || byte == '_'; }

bool IsHexDigit(char byte) { return absl::ascii_isxdigit(static_cast<unsigned char>(byte)); }

size_t FindEnd(std::string_view text, size_t begin, std::string_view ends) {
  return std::min(text.find_first_of(ends, begin), text.size());
}

// The schemes whose addresses name a part of a browser, not of a network.
bool IsInternal(std::string_view scheme) {
  constexpr std::string_view kInternal[] = {"chrome", "resource", "moz-src", "self-hosted"};
  return std::find(std::begin(kInternal), std::end(kInternal), scheme) != std::end(kInternal);
}

constexpr size_t kRootBytes = 64;  // IsRoot needs no more of a text

// Returns whether a part of a path may begin at this byte.
bool BeginsName(std::string_view text, size_t at) {
  return at < text.size() && (IsWordByte(text[at]) || !IsAscii(text[at]) || Contains(".-~?", text[at]));
}

// Returns whether the text begins with an absolute path: "/", "//host", "C:\", "\\server" or "\folder\".
bool IsRoot(std::string_view text) {
  if (text.starts_with("//") || text.starts_with("\\\\")) return BeginsName(text, 2);
  if (text.starts_with('/')) return BeginsName(text, 1);
  if (text.starts_with('\\')) {
    const size_t next = text.find_first_of("\\ ", 1);
    return BeginsName(text, 1) && next != std::string_view::npos && text[next] == '\\';
  }
  return text.size() > 3 && absl::ascii_isalpha(static_cast<unsigned char>(text[0])) && text[1] == ':' &&
         Contains(kSlashes, text[2]) && BeginsName(text, 3);
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

// Returns whether the root at the start of the text has two parts at least: "/srv/x", not "/x".
bool HasTwoParts(std::string_view text) {
  const size_t end = FindEnd(text, 1, kPartEnds);
  return end < text.size() && Contains(kSlashes, text[end]) && BeginsName(text, end + 1);
}

// Returns whether the digits or dots that end here are a word of their own, not the end of "src2" or of "../src".
bool IsNumberOrDots(std::string_view text) {
  const bool is_number = absl::ascii_isdigit(static_cast<unsigned char>(text.back()));
  const size_t last = text.find_last_not_of(is_number ? "0123456789" : ".");
  const size_t count = text.size() - (last == std::string_view::npos ? 0 : last + 1);
  const bool is_alone = last == std::string_view::npos || Contains(kPathEnds, text[last]) || Contains(":=", text[last]);
  return is_number ? is_alone : count > 2 || (last != std::string_view::npos && IsWordByte(text[last]));
}

// Returns whether a path may begin at the root at a byte of a text. A slash behind a letter is an operator or in a
// relative path. The slash behind a bracket, a number or a character beyond ASCII is the start of a path if a second
// one follows.
bool MayBegin(std::string_view text, size_t at, bool is_option) {
  if (at == 0 || (is_option && text[at] == '/')) return true;
  const char before = text[at - 1];
  if (Contains(kSlashes, before) || absl::ascii_isalpha(static_cast<unsigned char>(before)) || before == '_')
    return false;
  if (Contains("<)]", before) || !IsAscii(before)) return HasTwoParts(text.substr(at));
  if (before != '.' && !IsWordByte(before)) return true;
  const bool is_digit = absl::ascii_isdigit(static_cast<unsigned char>(text[at + 1]));
  return text[at] == '/' && !is_digit && IsNumberOrDots(text.substr(0, at)) && HasTwoParts(text.substr(at));
}

// Returns the end of the path at `begin`.
size_t EndOfPath(std::string_view text, size_t begin) {
  if (begin == 0) return text.size();  // up to its last slash, whatever comes before that
  const bool is_typographic = begin >= 3 && text.substr(begin - 3, 2) == kTypographic;
  const std::string_view quote = is_typographic                       ? kTypographic
                                 : Contains(kQuotes, text[begin - 1]) ? text.substr(begin - 1, 1)
                                                                      : "";
  const size_t end_of_quote = quote.empty() ? std::string_view::npos : text.find(quote, begin);
  if (end_of_quote != std::string_view::npos) return end_of_quote;
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
    const bool is_left_out = text.substr(at + 3).starts_with(kLeftOut);
    const size_t end = is_left_out ? at + 3 + kLeftOut.size() : FindEnd(text, at + 3, kAddressEnds);
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

// Returns the size of the sequence for a terminal at the start of the text, such as "ESC [31m" or "ESC (B", or 0.
size_t SizeOfSequence(std::string_view text) {
  if (text.starts_with("\x1b[") || text.starts_with("\xc2\x9b")) {  // U+009B stands for both bytes
    return std::min(text.find_first_not_of("0123456789;:?", 2), text.size() - 1) + 1;
  }
  return text.size() > 2 && text[0] == '\x1b' && Contains("()*+#% ", text[1]) ? 3 : 0;
}

// Returns the text without the colours of a terminal, "\/" as "/", and "%2F" as the byte that it stands for.
std::string DecodeOnce(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const size_t size = SizeOfSequence(rest); size > 0) {
      at += size;
    } else if (rest[0] == '%' && rest.size() > 2 && IsHexDigit(rest[1]) && IsHexDigit(rest[2])) {
      unsigned char byte = 0;
      std::from_chars(rest.data() + 1, rest.data() + 3, byte, 16);
      plain.push_back(static_cast<char>(byte));
      at += 3;
    } else {
      at += rest.starts_with("\\/") ? 1 : 0;
      plain.push_back(text[at++]);
    }
  }
  return plain;
}

// Returns the text as a reader understands it. Several programs may have encoded it one after the other.
std::string Decode(std::string_view text) {
  constexpr int kMostTimes = 3;
  std::string plain(text);
  for (int i = 0; i < kMostTimes && plain.find_first_of("%\x1b\xc2\\") != std::string::npos; ++i)
    plain = DecodeOnce(plain);
  return plain;
}

}  // namespace

bool TextScrubber::AddWord(std::string_view word) { return AddText(word, kLeftOut, false); }

bool TextScrubber::AddText(std::string_view text, std::string_view left, bool is_rest) {
  if (text.size() < kMinWordBytes || text.size() > kMaxWordBytes) return false;
  if (IsAscii(text[0]) && !IsWordByte(text[0])) return false;
  if (left_of_.contains(text)) return true;
  text = texts_.emplace_back(text);
  left_of_.emplace(text, Left{std::string(left), is_rest});
  size_t& longest = longest_[text.substr(0, kMinWordBytes)];
  longest = std::max(longest, text.size());
  return true;
}

void TextScrubber::AddProgram(std::string_view name) {
  const std::string text = WithoutPaths(Decode(name));
  const std::string_view program = std::string_view(text).substr(0, text.find(' '));
  const std::string_view known = std::string_view(text).substr(0, kMaxWordBytes);
  if (program.size() < known.size()) AddText(known, program, known.size() < text.size());
}

void TextScrubber::AddUsersIn(std::string_view text) {
  ForEachUser(Decode(text), [&](std::string_view name) { AddWord(name); });
}

std::string TextScrubber::Scrub(std::string_view text) const {
  const std::string plain = Decode(text);
  // A picture of Firefox's, for example. Its data may have any byte.
  if (plain.starts_with("data:") && plain.size() > 5) return std::string("data:").append(kLeftOut);
  std::string left = WithoutWords(WithoutPaths(plain));
  return left == plain ? std::string(text) : left;
}

std::string TextScrubber::WithoutPaths(std::string_view text) {
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
    if (at == 0 || Contains(kBlanks, text[at - 1])) is_option = text[at] == '-';
    if (!IsRoot(text.substr(at, kRootBytes)) || !MayBegin(text, at, is_option)) {
      out.push_back(text[at++]);
      continue;
    }
    const size_t end = EndOfPath(text, at);
    out.append(LastPart(text.substr(at, end - at)));
    at = end;
    is_option = false;
    if (address.begin < at) address = FindAddress(text, at);
  }
  return out;
}

std::string TextScrubber::WithoutWords(std::string_view text) const {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto word = FindWord(text, at);
    if (word == left_of_.end()) {
      out.push_back(text[at++]);
    } else {
      out.append(word->second.text);
      if (word->second.is_rest) return out;
      at += word->first.size();
    }
  }
  return out;
}

TextScrubber::Texts::const_iterator TextScrubber::FindWord(std::string_view text, size_t at) const {
  if (at > 0 && IsWordByte(text[at - 1])) return left_of_.end();
  const auto longest = longest_.find(text.substr(at, kMinWordBytes));
  if (longest == longest_.end()) return left_of_.end();
  for (size_t size = std::min(longest->second, text.size() - at); size >= kMinWordBytes; --size) {
    // A text of the full size may be the start of a longer one.
    if (size < kMaxWordBytes && at + size < text.size() && IsWordByte(text[at + size])) continue;
    if (const auto word = left_of_.find(text.substr(at, size)); word != left_of_.end()) return word;
  }
  return left_of_.end();
}

std::string_view ProgramOfCommand(std::string_view command) {
  const bool is_quoted = !command.empty() && Contains(kQuotes, command[0]);
  const std::string_view first = command.substr(is_quoted ? 1 : 0);
  return LastPart(first.substr(0, first.find_first_of(is_quoted ? " \"'`" : " ")));
}

}  // namespace geckoprof
