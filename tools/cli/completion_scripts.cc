#include "tools/cli/completion_scripts.h"

#include "tools/text/concat.h"

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

namespace {

constexpr char kBashStart[] = R"(# Completion of geckoprof(1) for bash, printed by `geckoprof completion bash`.

# Words that begin as $current does.
_geckoprof_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

# The same for the last item of a list with commas.
_geckoprof_list() {
  local before=
  [[ $current == *,* ]] && before=${current%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
  compopt -o nospace 2>/dev/null
}

# Folders, and files with one of the endings given; without any all files.
_geckoprof_files() {
  local name ending
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do
    if [[ $# -eq 0 || -d $name ]]; then
      COMPREPLY+=("$name")
      continue
    fi
    for ending in "$@"; do
      [[ $name == *"$ending" ]] && COMPREPLY+=("$name") && break
    done
  done < <(compgen -f -- "$current")
}

_geckoprof_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
}

# A program with its own arguments, from word $1 on.
_geckoprof_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$current")
  else
    _geckoprof_files
  fi
}

)";

std::string BashCall(const ValueHint& value) {
  switch (value.kind) {
    case ValueHint::Kind::kWords:
      return Concat("_geckoprof_words ", ShellQuoted(JoinWords(value.words)));
    case ValueHint::Kind::kWordList:
      return Concat("_geckoprof_list ", ShellQuoted(JoinWords(value.words)));
    case ValueHint::Kind::kFiles:
      return Concat("_geckoprof_files", value.words.empty() ? "" : " ", JoinWords(value.words));
    case ValueHint::Kind::kFolders:
      return "_geckoprof_folders";
    default:
      return ":";
  }
}

std::string BashCommandPart(const OptionTable& table) {
  std::string text = Concat("    ", table.command, ")\n");
  std::string with_value, cases, names;
  for (const OptionTable::Option& option : table.options) {
    for (const std::string& name : option.names) names += Concat(names.empty() ? "" : " ", name);
    if (option.placeholder.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names) pattern += Concat(pattern.empty() ? "" : "|", name);
    with_value += Concat(with_value.empty() ? "" : "|", pattern);
    cases += Concat("        ", pattern, ") ", BashCall(option.value), "; return ;;\n");
  }
  if (table.operands.kind == ValueHint::Kind::kProgram) {
    // The program is the first word that is neither an option nor an option's value, or what follows --.
    text += "      for ((at = 2; at < COMP_CWORD; ++at)); do\n        case ${COMP_WORDS[at]} in\n";
    text += "          --) _geckoprof_program $((at + 1)); return ;;\n";
    text +=
        Concat("          ", with_value, ") [[ ${COMP_WORDS[at + 1]} == = ]] && at=$((at + 1)); at=$((at + 1)) ;;\n");
    text += "          -*) ;;\n          *) _geckoprof_program $at; return ;;\n        esac\n      done\n";
  }
  if (!cases.empty()) text += Concat("      case $option in\n", cases, "      esac\n");
  text += Concat("      if [[ $current == -* ]]; then\n        _geckoprof_words ", ShellQuoted(names),
                 "\n      else\n        ");
  text +=
      table.operands.kind == ValueHint::Kind::kProgram ? "_geckoprof_program $COMP_CWORD" : BashCall(table.operands);
  return text + "\n      fi ;;\n";
}

}  // namespace

std::string BashCompletion(const CompletionSource& source) {
  std::string commands;
  for (const SubCommand& command : source.commands) commands += Concat(command.name, " ");
  std::string text = kBashStart;
  text +=
      "_geckoprof() {\n  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} at\n  "
      "COMPREPLY=()\n";
  text += "  if ((COMP_CWORD < 2)); then\n";
  text += Concat("    _geckoprof_words ", ShellQuoted(commands + "--help --version"), "\n    return\n  fi\n");
  text += "  # --option=value comes as three words.\n";
  text += "  if [[ $current == = ]]; then\n    current=\n  elif [[ $option == = ]]; then\n";
  text += "    option=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const OptionTable& table : source.tables) text += BashCommandPart(table);
  return text + "  esac\n}\n\ncomplete -F _geckoprof geckoprof\n";
}

namespace {

constexpr char kFishStart[] = R"(# Completion of geckoprof(1) for fish, printed by `geckoprof completion fish`.

# Whether the words so far are of this command, and before the program that it runs.
function __geckoprof_in
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = $argv[1]; and not contains -- -- $words
end

function __geckoprof_runs
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = $argv[1]; and contains -- -- $words
end

# Folders, and files with one of the endings given.
function __geckoprof_files
    set -l token (string replace -r -- '^--?[^=]*=' '' (commandline -ct) | string replace -r -- '^~/' "$HOME/")
    set -l found $token*/
    for ending in $argv
        set -a found $token*$ending
    end
    string join \n -- $found
end

# Items of a list with commas, after those that are there.
function __geckoprof_list
    set -l before (string match -r -- '^(?:.*,)?' (string replace -r -- '^--?[^=]*=' '' (commandline -ct)))
    for word in $argv
        echo -- $before$word
    end
end

# What may stand first on a line.
function __geckoprof_programs
    set -l token (commandline -ct)
    string match -qr -- '^[^-]' "$token"; and complete -C "$token"
end

complete -c geckoprof -f
)";

std::string FishQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') quoted += '\\';
    quoted += byte;
  }
  return quoted + "'";
}

// Returns the options of `complete` for a value.
std::string FishValues(const ValueHint& value) {
  switch (value.kind) {
    case ValueHint::Kind::kWords:
      return Concat(" -x -a ", FishQuoted(JoinWords(value.words)));
    case ValueHint::Kind::kWordList:
      return Concat(" -x -a ", FishQuoted(Concat("(__geckoprof_list ", JoinWords(value.words), ")")));
    case ValueHint::Kind::kFiles:
      if (value.words.empty()) return " -r -F";
      return Concat(" -x -a ", FishQuoted(Concat("(__geckoprof_files ", JoinWords(value.words), ")")));
    case ValueHint::Kind::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    default:
      return " -x";
  }
}

std::string FishCommandPart(const OptionTable& table) {
  const std::string start = Concat("\ncomplete -c geckoprof -n '__geckoprof_in ", table.command, "'");
  std::string text;
  for (const OptionTable::Option& option : table.options) {
    text += start;
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? Concat(" -l ", name.substr(2)) : Concat(" -s ", name.substr(1));
    }
    if (!option.placeholder.empty()) text += FishValues(option.value);
    text += Concat(" -d ", FishQuoted(ShortHelp(option.help)));
  }
  if (table.operands.kind == ValueHint::Kind::kProgram) {
    text += Concat(start, " -a '(__geckoprof_programs)'");
    return text +
           Concat("\ncomplete -c geckoprof -n '__geckoprof_runs ", table.command, "' -F -a '(__geckoprof_programs)'\n");
  }
  if (table.operands.kind == ValueHint::Kind::kFiles && table.operands.words.empty()) return text + start + " -F\n";
  std::string operands = FishValues(table.operands);
  if (const size_t list = operands.find(" -a "); list != std::string::npos) text += start + operands.substr(list);
  return text + "\n";
}

}  // namespace

std::string FishCompletion(const CompletionSource& source) {
  std::string text = kFishStart;
  for (const SubCommand& command : source.commands) {
    text += Concat("complete -c geckoprof -n __fish_use_subcommand -a ", command.name, " -d ",
                   FishQuoted(command.summary), "\n");
  }
  text += "complete -c geckoprof -n __fish_use_subcommand -l help -d 'list the commands'\n";
  text += "complete -c geckoprof -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const OptionTable& table : source.tables) text += FishCommandPart(table);
  return text;
}

namespace {

// In an argument of _arguments and of _describe these mean something.
std::string ZshEscaped(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == ':' || byte == '[' || byte == ']' || byte == '\\') escaped += '\\';
    escaped += byte;
  }
  return escaped;
}

std::string ZshAction(const ValueHint& value) {
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
std::string ZshOptionSpec(const OptionTable::Option& option) {
  std::string names, text;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    names += Concat(names.empty() ? "" : ",", name, option.placeholder.empty() ? "" : is_long ? "=" : "+");
  }
  std::string rest = Concat("[", ZshEscaped(ShortHelp(option.help)), "]");
  if (!option.placeholder.empty()) rest += Concat(":", ZshEscaped(option.placeholder), ":", ZshAction(option.value));
  if (option.names.size() == 1) return ShellQuoted(names + rest);
  return Concat("'(", JoinWords(option.names), ")'{", names, "}", ShellQuoted(rest));
}

std::string ZshCommandPart(const OptionTable& table) {
  std::string text = Concat("        ", table.command, ")\n          _arguments -s -S \\\n");
  if (table.operands.kind == ValueHint::Kind::kProgram) {  // its options are its own
    text = Concat("        ", table.command, ")\n          _arguments -s -S -A '-*' \\\n");
  }
  for (const OptionTable::Option& option : table.options)
    text += Concat("            ", ZshOptionSpec(option), " \\\n");
  if (table.operands.kind == ValueHint::Kind::kProgram) {
    return text + "            '(-)1:program:_command_names -e' '*::argument:_normal' ;;\n";
  }
  return Concat(text, "            ", ShellQuoted(Concat("*:file:", ZshAction(table.operands))), " ;;\n");
}

}  // namespace

std::string ZshCompletion(const CompletionSource& source) {
  std::string text =
      "#compdef geckoprof\n# Completion of geckoprof(1) for zsh, printed by `geckoprof completion zsh`.\n\n"
      "_geckoprof() {\n  local curcontext=$curcontext state line\n  local -a geckoprof_commands  # `commands` is zsh's "
      "own\n  geckoprof_commands=(\n";
  for (const SubCommand& command : source.commands) {
    text += Concat("    ", ShellQuoted(Concat(command.name, ":", ZshEscaped(command.summary))), "\n");
  }
  text +=
      "  )\n  _arguments -C '(- *)--help[list the commands]' '(- *)--version[print the version]' \\\n"
      "    '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command) _describe -t commands 'geckoprof command' geckoprof_commands ;;\n    argument)\n"
      "      curcontext=${curcontext%:*}-$line[1]:\n      case $line[1] in\n";
  for (const OptionTable& table : source.tables) text += ZshCommandPart(table);
  return text + "      esac ;;\n  esac\n}\n\n_geckoprof \"$@\"\n";
}

}  // namespace geckoprof
