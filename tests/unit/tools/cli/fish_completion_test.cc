#include "tools/cli/fish_completion.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/cli/completion_sample.h"

namespace geckoprof {
namespace {

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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

}  // namespace
}  // namespace geckoprof
