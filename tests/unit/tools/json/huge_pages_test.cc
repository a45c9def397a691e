#include "tools/json/huge_pages.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("memory holds what is written to it, wherever it begins") {
  std::vector<char> memory(size_t{16} << 20, 'a');
  PreferHugePages(memory.data() + 1, memory.size() - 3);
  PreferHugePages(memory.data(), 10);
  PreferHugePages(nullptr, 0);
  CHECK(std::all_of(memory.begin(), memory.end(), [](char byte) { return byte == 'a'; }));
  memory.back() = 'b';
  CHECK(memory.back() == 'b');
}

}  // namespace
}  // namespace geckoprof
