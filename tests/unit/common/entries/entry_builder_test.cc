#include "geckoprof/entries/entry_builder.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("fields are read back in order") {
  uint8_t room[64];
  EntryBuilder entry(EntryType::kThread, room);
  entry.U(300).Z(-2).T("main");
  CHECK(entry.fits());
  Leb128Reader reader(entry.bytes());
  CHECK(reader.Byte() == static_cast<uint8_t>(EntryType::kThread));
  CHECK(reader.Uleb() == 300);
  CHECK(reader.Zigzag() == -2);
  const auto text = reader.Bytes(reader.Uleb());
  CHECK(std::string(text.begin(), text.end()) == "main");
  CHECK(reader.remaining() == 0);
}

TEST_CASE("a text that does not fit is cut between characters") {
  uint8_t room[16];
  EntryBuilder entry(EntryType::kString, room);
  entry.T("ab\xc3\xa4\xc3\xb6\xc3\xbc");  // 2 ASCII letters and 3 of two bytes each; 5 bytes fit
  CHECK_FALSE(entry.fits());
  Leb128Reader reader(entry.bytes());
  reader.Byte();
  const auto text = reader.Bytes(reader.Uleb());
  CHECK(std::string(text.begin(), text.end()) == "ab\xc3\xa4");
}

TEST_CASE("nothing is ever written past the room") {
  for (size_t size = 1; size < 40; ++size) {
    std::vector<uint8_t> room(size + 8, 0xee);
    EntryBuilder entry(EntryType::kTimedMarker, {room.data(), size});
    for (int i = 0; i < 10; ++i) entry.U(UINT64_MAX).T("some text");
    CHECK(entry.bytes().size() <= size);
    for (size_t i = size; i < room.size(); ++i) CHECK(room[i] == 0xee);
  }
}

}  // namespace
}  // namespace geckoprof
