#include "tools/symbols/debuginfod_client.h"

#include <stdlib.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("nobody is asked where no server is named") {
  unsetenv("DEBUGINFOD_URLS");
  std::string problem;
  CHECK(DebuginfodClient::Fetch("0123456789abcdef0123", DebuginfodClient::Kind::kDebugInfo, &problem).empty());
  CHECK(DebuginfodClient::Fetch("", DebuginfodClient::Kind::kExecutable, &problem).empty());
  CHECK(problem.empty());
}

}  // namespace
}  // namespace geckoprof
