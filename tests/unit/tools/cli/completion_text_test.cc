#include "tools/cli/completion_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

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

}  // namespace
}  // namespace geckoprof
