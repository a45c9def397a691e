#include "tools/json/consumed_text.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace geckoprof {
namespace {

// How many of the pages that lie wholly in a range are in memory.
size_t PagesIn(const char* begin, const char* end) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
  const uintptr_t last = reinterpret_cast<uintptr_t>(end) / page * page;
  std::vector<unsigned char> there((last - first) / page);
  REQUIRE(mincore(reinterpret_cast<void*>(first), last - first, there.data()) == 0);
  return static_cast<size_t>(std::count_if(there.begin(), there.end(), [](unsigned char is) { return (is & 1) != 0; }));
}

TEST_CASE("what is behind the reader goes back, what is before it stays") {
  constexpr size_t kBytes = size_t{40} << 20;
  ConsumedText text(std::string(kBytes, 'x'));
  CHECK(text.size() == kBytes);
  text.ReadUpTo(text.data() + 100);
  CHECK(text.released_bytes() == 0);  // not worth the call yet
  char* const position = text.data() + kBytes / 2 + 3;
  text.ReadUpTo(position);
  CHECK(text.released_bytes() <= kBytes / 2 + 3);
  CHECK(text.released_bytes() > kBytes / 2 - 5000);
  CHECK(PagesIn(text.data(), text.data() + text.released_bytes()) == 0);
  CHECK(std::all_of(position, text.data() + kBytes, [](char byte) { return byte == 'x'; }));
  text.ReadUpTo(text.data() + kBytes);
  CHECK(text.released_bytes() > kBytes - 5000);
}

TEST_CASE("a small text stays where it is") {
  ConsumedText text("[1,2]");
  text.ReadUpTo(text.data() + 5);
  CHECK(std::string(text.data()) == "[1,2]");
}

}  // namespace
}  // namespace geckoprof
