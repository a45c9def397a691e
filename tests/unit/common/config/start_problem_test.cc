#include "geckoprof/config/start_problem.h"

#include <catch2/catch.hpp>
#include <set>

namespace geckoprof {
namespace {

TEST_CASE("variables have different names with our prefix") {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kStartVariableCount; ++i) {
    const std::string_view name = StartVariableName(static_cast<StartVariable>(i));
    CHECK(name.starts_with("GECKOPROF_"));
    CHECK(name.size() > 10);
    names.insert(name);
  }
  CHECK(names.size() == kStartVariableCount);
}

TEST_CASE("each kind of problem has a text of its own") {
  std::set<std::string_view> texts;
  const auto last = static_cast<size_t>(StartProblemKind::kOverridden);
  for (size_t i = 0; i <= last; ++i) texts.insert(StartProblemText(static_cast<StartProblemKind>(i)));
  CHECK(texts.size() == last + 1);
}

}  // namespace
}  // namespace geckoprof
