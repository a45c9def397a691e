#include "tools/convert/proto_reader.h"

#include <catch2/catch.hpp>
#include <string>

#include "tools/convert/proto_writer.h"

namespace geckoprof {
namespace {

TEST_CASE("what is written is read") {
  std::string bytes;
  ProtoWriter writer(&bytes);
  writer.Int(1, -7);
  writer.Text(2, "text");
  writer.Fixed64(3, 1ull << 63);
  writer.Packed(4, {1, 1ull << 40});
  ProtoReader reader(bytes);
  REQUIRE(reader.Next());
  CHECK(reader.signed_number() == -7);
  REQUIRE(reader.Next());
  CHECK(reader.bytes() == "text");
  REQUIRE(reader.Next());
  CHECK(reader.number() == 1ull << 63);
  REQUIRE(reader.Next());
  std::vector<uint64_t> numbers;
  CHECK(reader.AppendNumbers(&numbers));
  CHECK(numbers == std::vector<uint64_t>{1, 1ull << 40});
  CHECK_FALSE(reader.Next());
  CHECK_FALSE(reader.failed());
}

TEST_CASE("bytes that make no sense") {
  for (const std::string& bytes : {std::string("\x12\x07test"),                                      // too short a text
                                   std::string("\x08"),                                              // no number
                                   std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),      // 70 bits
                                   std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),  // eleven bytes
                                   std::string("\x0b"),                                              // a group
                                   std::string("\0\0", 2),                                           // field 0
                                   std::string("\x0d\x01\x02"),                                      // half of 4 bytes
                                   std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")}) {
    ProtoReader reader(bytes);
    while (reader.Next()) {
    }
    CHECK(reader.failed());
  }
  std::vector<uint64_t> numbers;
  ProtoReader packed("\x0a\x01\x80");
  REQUIRE(packed.Next());
  CHECK_FALSE(packed.AppendNumbers(&numbers));
}

}  // namespace
}  // namespace geckoprof
