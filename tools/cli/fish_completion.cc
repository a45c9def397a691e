#include "tools/cli/fish_completion.h"

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr char kStart[] = R"(# Completion of geckoprof(1) for fish, printed by `geckoprof completion fish`.

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

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') quoted += '\\';
    quoted += byte;
  }
  return quoted + "'";
}

// What `complete` is told of a value.
std::string Values(const ValueHint& value) {
  switch (value.kind) {
    case ValueHint::Kind::kWords:
      return Concat(" -x -a ", Quoted(JoinWords(value.words)));
    case ValueHint::Kind::kWordList:
      return Concat(" -x -a ", Quoted(Concat("(__geckoprof_list ", JoinWords(value.words), ")")));
    case ValueHint::Kind::kFiles:
      if (value.words.empty()) return " -r -F";
      return Concat(" -x -a ", Quoted(Concat("(__geckoprof_files ", JoinWords(value.words), ")")));
    case ValueHint::Kind::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    default:
      return " -x";
  }
}

std::string CommandPart(const OptionTable& table) {
  const std::string start = Concat("\ncomplete -c geckoprof -n '__geckoprof_in ", table.command, "'");
  std::string text;
  for (const OptionTable::Option& option : table.options) {
    text += start;
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? Concat(" -l ", name.substr(2)) : Concat(" -s ", name.substr(1));
    }
    if (!option.placeholder.empty()) text += Values(option.value);
    text += Concat(" -d ", Quoted(ShortHelp(option.help)));
  }
  if (table.operands.kind == ValueHint::Kind::kProgram) {
    text += Concat(start, " -a '(__geckoprof_programs)'");
    return text +
           Concat("\ncomplete -c geckoprof -n '__geckoprof_runs ", table.command, "' -F -a '(__geckoprof_programs)'\n");
  }
  if (table.operands.kind == ValueHint::Kind::kFiles && table.operands.words.empty()) return text + start + " -F\n";
  std::string operands = Values(table.operands);
  if (const size_t list = operands.find(" -a "); list != std::string::npos) text += start + operands.substr(list);
  return text + "\n";
}

}  // namespace

std::string FishCompletion(const CompletionSource& source) {
  std::string text = kStart;
  for (const SubCommand& command : source.commands) {
    text += Concat("complete -c geckoprof -n __fish_use_subcommand -a ", command.name, " -d ", Quoted(command.summary),
                   "\n");
  }
  text += "complete -c geckoprof -n __fish_use_subcommand -l help -d 'list the commands'\n";
  text += "complete -c geckoprof -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const OptionTable& table : source.tables) text += CommandPart(table);
  return text;
}

}  // namespace geckoprof
