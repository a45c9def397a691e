#include "tools/cli/bash_completion.h"

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr char kStart[] = R"(# Completion of geckoprof(1) for bash, printed by `geckoprof completion bash`.

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

std::string Call(const ValueHint& value) {
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

std::string CommandPart(const OptionTable& table) {
  std::string text = Concat("    ", table.command, ")\n");
  std::string with_value, cases, names;
  for (const OptionTable::Option& option : table.options) {
    for (const std::string& name : option.names) names += Concat(names.empty() ? "" : " ", name);
    if (option.placeholder.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names) pattern += Concat(pattern.empty() ? "" : "|", name);
    with_value += Concat(with_value.empty() ? "" : "|", pattern);
    cases += Concat("        ", pattern, ") ", Call(option.value), "; return ;;\n");
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
  text += table.operands.kind == ValueHint::Kind::kProgram ? "_geckoprof_program $COMP_CWORD" : Call(table.operands);
  return text + "\n      fi ;;\n";
}

}  // namespace

std::string BashCompletion(const CompletionSource& source) {
  std::string commands;
  for (const SubCommand& command : source.commands) commands += Concat(command.name, " ");
  std::string text = kStart;
  text +=
      "_geckoprof() {\n  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} at\n  "
      "COMPREPLY=()\n";
  text += "  if ((COMP_CWORD < 2)); then\n";
  text += Concat("    _geckoprof_words ", ShellQuoted(commands + "--help --version"), "\n    return\n  fi\n");
  text += "  # --option=value comes as three words.\n";
  text += "  if [[ $current == = ]]; then\n    current=\n  elif [[ $option == = ]]; then\n";
  text += "    option=${COMP_WORDS[COMP_CWORD - 2]}\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const OptionTable& table : source.tables) text += CommandPart(table);
  return text + "  esac\n}\n\ncomplete -F _geckoprof geckoprof\n";
}

}  // namespace geckoprof
