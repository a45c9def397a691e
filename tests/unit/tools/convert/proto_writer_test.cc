#include "tools/convert/proto_writer.h"

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

}  // namespace
}  // namespace geckoprof
