#include "tools/cli/zsh_completion.h"

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// In an argument of _arguments and of _describe these mean something.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == ':' || byte == '[' || byte == ']' || byte == '\\') escaped += '\\';
    escaped += byte;
  }
  return escaped;
}

std::string Action(const ValueHint& value) {
  switch (value.kind) {
    case ValueHint::Kind::kWords:
      return Concat("(", JoinWords(value.words), ")");
    case ValueHint::Kind::kWordList:
      return Concat("_values -s , item ", JoinWords(value.words));
    case ValueHint::Kind::kFiles: {
      if (value.words.empty()) return "_files";
      std::string endings;
      for (const std::string& ending : value.words) endings += Concat(endings.empty() ? "" : "|", ending);
      // A single one in parentheses would be a glob's qualifier.
      if (value.words.size() == 1) return Concat("_files -g \"*", endings, "\"");
      return Concat("_files -g \"*(", endings, ")\"");
    }
    case ValueHint::Kind::kFolders:
      return "_files -/";
    default:
      return " ";
  }
}

// '(-o --output)'{-o+,--output=}'[the profile]:FILE:_files'
std::string OptionSpec(const OptionTable::Option& option) {
  std::string names, text;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    names += Concat(names.empty() ? "" : ",", name, option.placeholder.empty() ? "" : is_long ? "=" : "+");
  }
  std::string rest = Concat("[", Escaped(ShortHelp(option.help)), "]");
  if (!option.placeholder.empty()) rest += Concat(":", Escaped(option.placeholder), ":", Action(option.value));
  if (option.names.size() == 1) return ShellQuoted(names + rest);
  return Concat("'(", JoinWords(option.names), ")'{", names, "}", ShellQuoted(rest));
}

std::string CommandPart(const OptionTable& table) {
  std::string text = Concat("        ", table.command, ")\n          _arguments -s -S \\\n");
  if (table.operands.kind == ValueHint::Kind::kProgram) {  // its options are its own
    text = Concat("        ", table.command, ")\n          _arguments -s -S -A '-*' \\\n");
  }
  for (const OptionTable::Option& option : table.options) text += Concat("            ", OptionSpec(option), " \\\n");
  if (table.operands.kind == ValueHint::Kind::kProgram) {
    return text + "            '(-)1:program:_command_names -e' '*::argument:_normal' ;;\n";
  }
  return Concat(text, "            ", ShellQuoted(Concat("*:file:", Action(table.operands))), " ;;\n");
}

}  // namespace

std::string ZshCompletion(const CompletionSource& source) {
  std::string text =
      "#compdef geckoprof\n# Completion of geckoprof(1) for zsh, printed by `geckoprof completion zsh`.\n\n"
      "_geckoprof() {\n  local curcontext=$curcontext state line\n  local -a geckoprof_commands  # `commands` is zsh's "
      "own\n  geckoprof_commands=(\n";
  for (const SubCommand& command : source.commands) {
    text += Concat("    ", ShellQuoted(Concat(command.name, ":", Escaped(command.summary))), "\n");
  }
  text +=
      "  )\n  _arguments -C '(- *)--help[list the commands]' '(- *)--version[print the version]' \\\n"
      "    '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command) _describe -t commands 'geckoprof command' geckoprof_commands ;;\n    argument)\n"
      "      curcontext=${curcontext%:*}-$line[1]:\n      case $line[1] in\n";
  for (const OptionTable& table : source.tables) text += CommandPart(table);
  return text + "      esac ;;\n  esac\n}\n\n_geckoprof \"$@\"\n";
}

}  // namespace geckoprof
