#include "tools/text/terminal_text.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "geckoprof/base/utf8.h"

namespace geckoprof {
namespace {

constexpr uint32_t kInvalid = 0xffffffff;

struct Range {
  uint32_t first, last;
};

template <size_t n>
bool IsIn(const Range (&ranges)[n], uint32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [code](const Range& range) { return code >= range.first && code <= range.last; });
}

constexpr Range kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                           {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                           {0x1f300, 0x1f64f}, {0x1f680, 0x1faff}, {0x20000, 0x3fffd}};
constexpr Range kCombining[] = {{0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
                                {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

// The code point at `*position`, which moves behind it; kInvalid for one byte that begins none.
uint32_t NextCode(std::string_view text, size_t* position) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte((*position)++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 && lead < 0xf5   ? 3
                   : lead >= 0xe0 && lead < 0xf0 ? 2
                   : lead >= 0xc2 && lead < 0xe0 ? 1
                                                 : 0;
  if (more == 0 || *position + static_cast<size_t>(more) > text.size()) return kInvalid;
  uint32_t code = lead & (0x3fu >> more);
  for (int i = 0; i < more; ++i) {
    const unsigned char next = byte(*position + static_cast<size_t>(i));
    if ((next & 0xc0) != 0x80) return kInvalid;
    code = code << 6 | (next & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  if (code < kLeast[more] || code > 0x10ffff) return kInvalid;
  *position += static_cast<size_t>(more);
  return code;
}

size_t CodeWidth(uint32_t code) { return IsIn(kCombining, code) ? 0 : IsIn(kWide, code) ? 2 : 1; }

}  // namespace

TerminalStyle TerminalStyle::OfStandardOutput() {
  TerminalStyle style;
  if (!isatty(STDOUT_FILENO)) return style;
  winsize size = {};
  style.width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  if (const char* const columns = getenv("COLUMNS"); columns != nullptr) {
    const std::string_view text(columns);
    size_t wanted = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
    constexpr size_t kMostColumns = 10000;
    if (error == std::errc() && end == text.data() + text.size() && wanted > 0 && wanted <= kMostColumns) {
      style.width = wanted;
    }
  }
  style.width = std::max<size_t>(style.width, 40);
  const char* const no_color = getenv("NO_COLOR");
  const char* const terminal = getenv("TERM");
  style.color =
      (no_color == nullptr || *no_color == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb";
  return style;
}

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const uint32_t code = NextCode(text, &position);
    if (code == '\t' || code == '\n' || code == '\r') {
      clean += ' ';
    } else if (code == kInvalid || IsUnsafeToShow(code)) {
      clean += '?';
    } else {
      clean.append(text, begin, position - begin);
    }
  }
  return clean;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t position = 0; position < text.size();) width += CodeWidth(NextCode(text, &position));
  return width;
}

std::string CutText(std::string_view text, size_t width) {
  if (width == 0 || DisplayWidth(text) <= width) return std::string(text);
  size_t used = 0, position = 0;
  while (position < text.size()) {
    size_t next = position;
    const size_t columns = CodeWidth(NextCode(text, &next));
    if (used + columns > width - 1) break;
    used += columns;
    position = next;
  }
  return std::string(text.substr(0, position)) + "…";
}

std::string PadRight(std::string_view text, size_t width) {
  std::string result = CutText(text, width);
  const size_t used = DisplayWidth(result);
  if (used < width) result.append(width - used, ' ');
  return result;
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  return used < width ? std::string(width - used, ' ').append(text) : std::string(text);
}

}  // namespace geckoprof
