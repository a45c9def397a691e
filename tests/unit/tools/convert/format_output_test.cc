#include "tools/convert/format_output.h"

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {
namespace {

TEST_CASE("bytes stay in the buffer without a file") {
  FormatOutput output(nullptr, false);
  output.buffer() += "abc";
  JsonWriter writer(output.json_sink());
  writer.Int(7);
  CHECK(writer.Finish());
  output.FlushIfLarge();
  CHECK(output.Finish().ok());
  CHECK(output.buffer() == "abc7");
}

TEST_CASE("compressed output is gzip") {
  FormatOutput output(nullptr, true);
  output.buffer().assign(1 << 20, 'a');
  output.FlushIfLarge();
  CHECK(output.Finish().ok());
  CHECK(output.buffer().substr(0, 2) == "\x1f\x8b");
  CHECK(output.buffer().size() < 10000);
}

}  // namespace
}  // namespace geckoprof
