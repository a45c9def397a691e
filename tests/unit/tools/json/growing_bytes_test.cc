#include "tools/json/growing_bytes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
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

TEST_CASE("bytes stay what they are while more follow") {
  GrowingBytes bytes;
  CHECK(bytes.size() == 0);
  for (uint32_t i = 0; i < 300'000; ++i) bytes.AppendNumber(i);
  bytes.AppendByte(7);
  bytes.Append("abc", 3);
  bytes.Append(nullptr, 0);
  memset(bytes.Extend(100), 9, 100);
  REQUIRE(bytes.size() == 1'200'104);
  bool same = true;
  for (uint32_t i = 0; i < 300'000; ++i) same = same && NumberAt<uint32_t>(bytes.data() + i * 4) == i;
  CHECK(same);
  bytes.Truncate(1'200'004);
  bytes.Shrink();
  CHECK(bytes.size() == 1'200'004);
  CHECK(std::string(reinterpret_cast<const char*>(bytes.data()) + 1'200'001, 3) == "abc");
  bytes.AppendByte(1);
  CHECK(bytes.data()[1'200'004] == 1);
}

TEST_CASE("nothing shrinks to nothing") {
  GrowingBytes bytes;
  bytes.Shrink();
  bytes.AppendByte(1);
  bytes.Truncate(0);
  bytes.Shrink();
  bytes.AppendByte(2);
  CHECK(bytes.data()[0] == 2);
}

}  // namespace
}  // namespace geckoprof
