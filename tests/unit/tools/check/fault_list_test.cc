#include "tools/check/fault_list.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("faults and warnings are counted beyond the limit, kept up to it") {
  FaultList list(2);
  const JsonPath root;
  const JsonPath threads = root / "threads";
  for (int i = 0; i < 5; ++i) list.Fault(threads / i, "is bad");
  list.Warning(root / "meta", "is odd");
  CHECK(list.fault_count() == 5);
  CHECK(list.faults() == std::vector<std::string>{"$.threads[0]: is bad", "$.threads[1]: is bad"});
  CHECK(list.warning_count() == 1);
  CHECK(list.warnings() == std::vector<std::string>{"$.meta: is odd"});
}

}  // namespace
}  // namespace geckoprof
