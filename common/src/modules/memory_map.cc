#include "geckoprof/modules/memory_map.h"

namespace geckoprof {

namespace {

// A cursor over one line.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  // Reads an unsigned number without prefix that fits in 64 bits.
  bool Number(unsigned base, uint64_t& value) {
    value = 0;
    size_t digits = 0;
    for (; digits < rest_.size(); ++digits) {
      const unsigned digit = Digit(rest_[digits]);
      if (digit >= base) break;
      if (value > (~uint64_t{0} - digit) / base) return false;
      value = value * base + digit;
    }
    rest_.remove_prefix(digits);
    return digits != 0;
  }
  bool Character(char expected) {
    if (rest_.empty() || rest_[0] != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Flag(char set, bool& value) {
    if (rest_.empty() || (rest_[0] != set && rest_[0] != '-')) return false;
    value = rest_[0] == set;
    rest_.remove_prefix(1);
    return true;
  }
  void SkipSpaces() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  std::string_view rest() const { return rest_; }
  void SkipOne() { rest_.remove_prefix(rest_.empty() ? 0 : 1); }

 private:
  static unsigned Digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    return 99;
  }
  std::string_view rest_;
};

bool ReadLine(std::string_view text, MapsLine& line) {
  LineReader reader(text);
  uint64_t major = 0;
  uint64_t minor = 0;
  const bool ok = reader.Number(16, line.start_avma) && reader.Character('-') && reader.Number(16, line.end_avma) &&
                  reader.Character(' ') && reader.Flag('r', line.readable) && reader.Flag('w', line.writable) &&
                  reader.Flag('x', line.executable);
  if (!ok || line.end_avma <= line.start_avma) return false;
  reader.SkipOne();  // 'p' for private or 's' for shared, which has no effect here
  if (!reader.Character(' ') || !reader.Number(16, line.file_offset) || !reader.Character(' ') ||
      !reader.Number(16, major) || !reader.Character(':') || !reader.Number(16, minor) || !reader.Character(' ') ||
      !reader.Number(10, line.inode)) {
    return false;
  }
  line.dev_major = static_cast<uint32_t>(major);
  line.dev_minor = static_cast<uint32_t>(minor);
  if (!reader.rest().empty() && reader.rest()[0] != ' ') return false;
  reader.SkipSpaces();
  line.path = reader.rest();
  constexpr std::string_view kDeleted = " (deleted)";
  line.deleted = line.path.size() > kDeleted.size() && line.path.ends_with(kDeleted);
  if (line.deleted) line.path.remove_suffix(kDeleted.size());
  return true;
}

}  // namespace

bool NextMapsLine(std::string_view& text, MapsLine& line) {
  const size_t end = text.find('\n');
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  line = MapsLine();
  return ReadLine(first, line);
}

std::string UnescapeMapsPath(std::string_view path) {
  constexpr std::string_view kNewline = "\\012";
  std::string result;
  result.reserve(path.size());
  while (!path.empty()) {
    if (path.starts_with(kNewline)) {
      result.push_back('\n');
      path.remove_prefix(kNewline.size());
    } else {
      result.push_back(path[0]);
      path.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace geckoprof
