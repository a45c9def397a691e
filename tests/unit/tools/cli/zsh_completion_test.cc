#include "tools/cli/zsh_completion.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/cli/completion_sample.h"

namespace geckoprof {
namespace {

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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
