#include "runtime/memory_functions.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

std::vector<uint8_t> Numbered(size_t bytes) {
  std::vector<uint8_t> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(i * 7 + 1);
  return out;
}

TEST_CASE("copies of every length and place are exact, and touch nothing else") {
  const std::vector<uint8_t> from = Numbered(700);
  for (const size_t bytes : {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 127, 128, 129, 255, 600}) {
    for (size_t shift = 0; shift < 9; ++shift) {
      std::vector<uint8_t> to(720, 0xee), expected = to;
      std::memcpy(expected.data() + shift, from.data() + shift, bytes);
      CHECK(memory::Copy(to.data() + shift, from.data() + shift, bytes) == to.data() + shift);
      CHECK(to == expected);
    }
  }
}

TEST_CASE("what overlaps is moved, either way") {
  for (const int distance : {-200, -130, -9, -8, -1, 0, 1, 8, 9, 130, 200}) {
    for (const size_t bytes : {0, 1, 8, 100, 128, 129, 300}) {
      std::vector<uint8_t> ours = Numbered(1000), expected = ours;
      std::memmove(expected.data() + 400 + distance, expected.data() + 400, bytes);
      memory::Move(ours.data() + 400 + distance, ours.data() + 400, bytes);
      CHECK(ours == expected);
    }
  }
}

TEST_CASE("bytes are set, compared and found") {
  std::vector<uint8_t> bytes(300, 1);
  memory::Set(bytes.data() + 10, 0x1ff, 280);
  CHECK((bytes[9] == 1 && bytes[10] == 0xff && bytes[289] == 0xff && bytes[290] == 1));
  CHECK(memory::Compare("abc", "abd", 3) < 0);
  CHECK(memory::Compare("ab\xff", "ab\x01", 3) > 0);
  CHECK(memory::Compare("abc", "abd", 2) == 0);
  const char text[] = "find me";
  CHECK(memory::Find(text, 'm', 7) == text + 5);
  CHECK(memory::Find(text, 'x', 7) == nullptr);
  CHECK(memory::Find(text, 'm', 5) == nullptr);
}

TEST_CASE("texts end at their zero") {
  CHECK(memory::Length("") == 0);
  CHECK(memory::Length("four") == 4);
  CHECK(memory::LengthWithin("four", 3) == 3);
  CHECK(memory::LengthWithin("four", 9) == 4);
  CHECK(memory::CompareText("a", "b") < 0);
  CHECK(memory::CompareText("ab", "a") > 0);
  CHECK(memory::CompareText("", "") == 0);
  const char* const path = "/a/b/c";
  CHECK(memory::FindLast(path, '/') == path + 4);
  CHECK(memory::FindLast(path, 'x') == nullptr);
  CHECK(memory::FindLast(path, 0) == path + 6);
  CHECK(memory::FindText(path, "b/c") == path + 3);
  CHECK(memory::FindText(path, "") == path);
  CHECK(memory::FindText(path, "c/") == nullptr);
}

}  // namespace
}  // namespace geckoprof
