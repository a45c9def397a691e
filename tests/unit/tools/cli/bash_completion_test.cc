#include "tools/cli/bash_completion.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/cli/completion_sample.h"

namespace geckoprof {
namespace {

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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

}  // namespace
}  // namespace geckoprof
