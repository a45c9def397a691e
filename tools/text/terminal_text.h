#ifndef GECKOPROF_TOOLS_TEXT_TERMINAL_TEXT_H_
#define GECKOPROF_TOOLS_TEXT_TERMINAL_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace geckoprof {

// How text is laid out for whoever reads it.
struct TerminalStyle {
  size_t width = 0;         // columns; 0: lines are not cut
  bool color = false;       // escape sequences are welcome
  bool full_names = false;  // functions' names are not shortened

  // stdout's: its width (COLUMNS, where that is set) and colours if it is a terminal (colours unless NO_COLOR is set),
  // else neither.
  static TerminalStyle OfStandardOutput();
};

// The text with everything that could steer a terminal or mislead a reader replaced: control characters and escapes,
// marks that turn the direction of writing, and bytes that are not UTF-8, each by "?"; a tab or line end by a space.
std::string CleanText(std::string_view text);

// The rest takes clean text. Columns it takes on a terminal: 2 for a wide character, 0 for a combining one.
size_t DisplayWidth(std::string_view text);
// Cut to `width` columns, the last one then being "…"; 0: not cut.
std::string CutText(std::string_view text, size_t width);
// Spaces added up to `width`, or cut to it.
std::string PadRight(std::string_view text, size_t width);
std::string PadLeft(std::string_view text, size_t width);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TEXT_TERMINAL_TEXT_H_
