#ifndef GECKOPROF_TESTS_UNIT_TOOLS_CLI_COMPLETION_SAMPLE_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_CLI_COMPLETION_SAMPLE_H_

#include "tools/cli/completion_text.h"

namespace geckoprof {

// Two commands: each kind of value, and texts with what shells take for something else.
inline CompletionSource SampleCompletions() {
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

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_CLI_COMPLETION_SAMPLE_H_
