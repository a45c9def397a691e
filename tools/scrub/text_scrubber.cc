#include "tools/scrub/text_scrubber.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace geckoprof {
namespace {

constexpr std::string_view kLeftOut = "(left out)";
// Each of these bytes ends a path or an address inside a text.
constexpr std::string_view kEnds = " \t\r\n\"'`<>()[]{}|,;";
// These bytes may come before one.
constexpr std::string_view kBefore = " \t\r\n\"'`([{|,;=:@";
constexpr std::string_view kSlashes = "/\\";

bool IsWordByte(char byte) {
  const auto unsigned_byte = static_cast<unsigned char>(byte);
  return absl::ascii_isalnum(unsigned_byte) || byte == '_' || unsigned_byte >= 0x80;
}

bool Contains(std::string_view set, char byte) { return set.find(byte) != std::string_view::npos; }

size_t EndOf(std::string_view text, size_t begin) { return std::min(text.find_first_of(kEnds, begin), text.size()); }

// The schemes whose addresses name a part of a browser, not of a network.
bool IsInternal(std::string_view scheme) {
  constexpr std::string_view kInternal[] = {"chrome", "resource", "moz-src", "self-hosted"};
  return std::find(std::begin(kInternal), std::end(kInternal), scheme) != std::end(kInternal);
}

// Returns the bytes of the beginning of a path at this place: "/", "C:\" or "\\server".
size_t RootBytes(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  const auto is_name = [&](size_t i) {
    return i < rest.size() && (IsWordByte(rest[i]) || rest[i] == '.' || rest[i] == '-' || rest[i] == '~');
  };
  if (rest.starts_with('/') && is_name(1)) return 1;
  if (rest.starts_with("\\\\") && is_name(2)) return 2;
  const bool has_drive = rest.size() > 3 && absl::ascii_isalpha(static_cast<unsigned char>(rest[0])) && rest[1] == ':';
  return has_drive && Contains(kSlashes, rest[2]) && is_name(3) ? 3 : 0;
}

// Returns the part after the last slash, without slashes at the end.
std::string_view LastPart(std::string_view path) {
  const size_t last = path.find_last_not_of(kSlashes);
  path = path.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return path.substr(path.find_last_of(kSlashes) + 1);  // npos + 1 is 0
}

// Calls use(name) for each part of a path that is the name of a user's own folder.
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
  if (word.size() < kMinWordBytes) return false;
  words_.emplace(word);
  return true;
}

void TextScrubber::AddUsersIn(std::string_view text) {
  ForEachUser(text, [&](std::string_view name) { AddWord(name); });
}

std::string TextScrubber::Scrub(std::string_view text) const {
  if (RootBytes(text, 0) > 0) return WithoutWords(std::string(LastPart(text)));
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const bool may_begin = at == 0 || Contains(kBefore, text[at - 1]);
    const size_t end = EndOf(text, at);
    const std::string_view part = text.substr(at, end - at);
    const size_t scheme = part.find("://");
    const bool has_address = may_begin && scheme != std::string_view::npos && scheme > 0 && scheme + 3 < part.size();
    if (may_begin && RootBytes(text, at) > 0) {
      out += LastPart(part);
      at = end;
    } else if (may_begin && part.starts_with("data:") && part.size() > 5) {
      out.append("data:").append(kLeftOut);
      at = text.size();  // its data may have any byte
    } else if (has_address && part.starts_with("file://")) {
      out.append("file:///").append(LastPart(part.substr(scheme)));
      at = end;
    } else if (has_address && !IsInternal(part.substr(0, scheme))) {
      out.append(part.substr(0, scheme + 3)).append(kLeftOut);
      at = end;
    } else {
      out.push_back(text[at++]);
    }
  }
  return WithoutWords(std::move(out));
}

std::string TextScrubber::WithoutWords(std::string text) const {
  for (const std::string& word : words_) {
    size_t at = text.find(word);
    while (at != std::string::npos) {
      const size_t end = at + word.size();
      const bool is_whole = (at == 0 || !IsWordByte(text[at - 1])) && (end == text.size() || !IsWordByte(text[end]));
      if (is_whole) text.replace(at, word.size(), kLeftOut);
      at = text.find(word, is_whole ? at + kLeftOut.size() : at + 1);
    }
  }
  return text;
}

std::string_view ProgramOfCommand(std::string_view command) {
  const std::string_view first = command.substr(0, command.find(' '));
  return LastPart(first);
}

}  // namespace geckoprof
