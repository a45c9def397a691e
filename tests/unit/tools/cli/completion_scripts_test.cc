#include "tools/cli/completion_scripts.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two commands: each kind of value, and texts with what shells take for something else.
CompletionSource SampleCompletions() {
  using Kind = ValueHint::Kind;
  CompletionSource source;
  source.commands = {{"show", "what's [in] it: all", nullptr}, {"run", "run it", nullptr}};
  OptionTable show{"show", {}, {Kind::kFiles, {".json", ".gz"}}};
  show.options = {{{"-h", "--help"}, "", "print this help", {}},
                  {{"-o", "--output"}, "FILE", "the file's name (default: none)", {Kind::kFiles, {}}},
                  {{"--to"}, "FORMAT", "a format", {Kind::kWords, {"one", "two"}}},
                  {{"--list"}, "LIST", "several", {Kind::kWordList, {"a", "b"}}},
                  {{"--dir"}, "DIR", "a folder", {Kind::kFolders, {}}},
                  {{"--top"}, "N", "a number", {}}};
  OptionTable run{"run", {{{"-q"}, "", "quiet", {}}, {{"--at"}, "S", "when", {}}}, {Kind::kProgram, {}}};
  source.tables = {show, run};
  return source;
}

TEST_CASE("words and quotes") {
  CHECK(JoinWords(std::vector<std::string>{}) == "");
  CHECK(JoinWords(std::vector<std::string>{"a", "b"}) == "a b");
  CHECK(ShellQuoted("") == "''");
  CHECK(ShellQuoted("a $b `c`") == "'a $b `c`'");
  CHECK(ShellQuoted("it's") == "'it'\\''s'");
}

TEST_CASE("help without its note") {
  CHECK(ShortHelp("rows of each list (20)") == "rows of each list");
  CHECK(ShortHelp("what (this) means") == "what (this) means");
  CHECK(ShortHelp("one\ntwo") == "one");
}

TEST_CASE("bash: commands, options and values") {
  const std::string script = BashCompletion(SampleCompletions());
  CHECK(Has(script, "_geckoprof_words 'show run --help --version'"));
  CHECK(Has(script, "-o|--output) _geckoprof_files; return ;;"));
  CHECK(Has(script, "--to) _geckoprof_words 'one two'; return ;;"));
  CHECK(Has(script, "--list) _geckoprof_list 'a b'; return ;;"));
  CHECK(Has(script, "--dir) _geckoprof_folders; return ;;"));
  CHECK(Has(script, "--top) :; return ;;"));
  CHECK(Has(script, "_geckoprof_words '-h --help -o --output --to --list --dir --top'"));
  CHECK(Has(script, "_geckoprof_files .json .gz"));
  CHECK(Has(script, "_geckoprof_program $at"));
}

TEST_CASE("fish: commands, options and values") {
  const std::string script = FishCompletion(SampleCompletions());
  const std::string show = "complete -c geckoprof -n '__geckoprof_in show'";
  CHECK(Has(script, R"(complete -c geckoprof -n __fish_use_subcommand -a show -d 'what\'s [in] it: all')"));
  CHECK(Has(script, show + " -s h -l help -d 'print this help'"));
  CHECK(Has(script, show + R"( -s o -l output -r -F -d 'the file\'s name')"));
  CHECK(Has(script, show + " -l to -x -a 'one two' -d 'a format'"));
  CHECK(Has(script, show + " -l list -x -a '(__geckoprof_list a b)'"));
  CHECK(Has(script, show + " -l dir -x -a '(__fish_complete_directories)'"));
  CHECK(Has(script, show + " -l top -x -d 'a number'"));
  CHECK(Has(script, show + " -a '(__geckoprof_files .json .gz)'"));
  CHECK(Has(script, "'__geckoprof_runs run' -F"));
}

TEST_CASE("zsh: commands, options and values") {
  const std::string script = ZshCompletion(SampleCompletions());
  CHECK(Has(script, "#compdef geckoprof\n"));
  CHECK(Has(script, R"('show:what'\''s \[in\] it\: all')"));
  CHECK(Has(script, "'(-h --help)'{-h,--help}'[print this help]'"));
  CHECK(Has(script, R"('(-o --output)'{-o+,--output=}'[the file'\''s name]:FILE:_files')"));
  CHECK(Has(script, "'--to=[a format]:FORMAT:(one two)'"));
  CHECK(Has(script, "'--list=[several]:LIST:_values -s , item a b'"));
  CHECK(Has(script, "'--dir=[a folder]:DIR:_files -/'"));
  CHECK(Has(script, "'--top=[a number]:N: '"));
  CHECK(Has(script, "'*:file:_files -g \"*(.json|.gz)\"'"));
  CHECK(Has(script, "'(-)1:program:_command_names -e' '*::argument:_normal'"));
}

}  // namespace
}  // namespace geckoprof
