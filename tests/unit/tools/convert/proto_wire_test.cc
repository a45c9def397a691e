#include "tools/convert/proto_wire.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

// The examples of protobuf's own description of the encoding.
TEST_CASE("the wire format's examples") {
  std::string bytes;
  ProtoWriter writer(&bytes);
  writer.Varint(1, 150);
  CHECK(bytes == "\x08\x96\x01");
  bytes.clear();
  writer.Text(2, "testing");
  CHECK(bytes == "\x12\x07testing");
  bytes.clear();
  writer.Packed(6, {3, 270, 86942});
  CHECK(bytes == "\x32\x06\x03\x8e\x02\x9e\xa7\x05");
  bytes.clear();
  const size_t message = writer.Begin(3);
  writer.Varint(1, 150);
  writer.End(message);
  CHECK(bytes == "\x1a\x03\x08\x96\x01");
}

TEST_CASE("numbers at the ends of their range") {
  std::string bytes;
  ProtoWriter writer(&bytes);
  writer.Int(1, -1);
  CHECK(bytes == "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  bytes.clear();
  writer.Double(1, 1);
  CHECK(bytes == std::string("\x09\0\0\0\0\0\0\xf0\x3f", 9));
  bytes.clear();
  writer.PackedFixed64(1, {1});
  CHECK(bytes == std::string("\x0a\x08\x01\0\0\0\0\0\0\0", 10));
  bytes.clear();
  writer.Packed(1, {});
  CHECK(bytes.empty());
}

TEST_CASE("a long message in a long message") {
  std::string bytes;
  ProtoWriter writer(&bytes);
  const size_t outer = writer.Begin(1), inner = writer.Begin(2);
  writer.Text(3, std::string(300, 'x'));
  writer.End(inner);
  writer.End(outer);
  CHECK(bytes.size() == 3 + 3 + 3 + 300);
  CHECK(bytes.substr(0, 9) == "\x0a\xb2\x02\x12\xaf\x02\x1a\xac\x02");
}

TEST_CASE("what is written is read") {
  std::string bytes;
  ProtoWriter writer(&bytes);
  writer.Int(1, -7);
  writer.Text(2, "text");
  writer.Fixed64(3, 1ull << 63);
  writer.Packed(4, {1, 1ull << 40});
  ProtoReader reader(bytes);
  REQUIRE(reader.Next());
  CHECK(static_cast<int64_t>(reader.number()) == -7);
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
