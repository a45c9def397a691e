#include "tools/cli/completion_text.h"

namespace geckoprof {

std::string JoinWords(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'') {
      quoted += "'\\''";
    } else {
      quoted += byte;
    }
  }
  return quoted + "'";
}

std::string ShortHelp(std::string_view help) {
  help = help.substr(0, help.find('\n'));
  if (const size_t note = help.rfind(" ("); note != std::string_view::npos && help.ends_with(')')) {
    help = help.substr(0, note);
  }
  return std::string(help);
}

}  // namespace geckoprof
