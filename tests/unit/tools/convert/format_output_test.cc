#include "tools/convert/format_output.h"

#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {
namespace {

TEST_CASE("bytes stay in the buffer without a file") {
  FormatOutput output(nullptr, false);
  output.buffer() += "abc";
  output.WriteJson([](JsonWriter& writer) { writer.Int(7); });
  output.FlushIfLarge();
  CHECK(output.Finish().ok());
  CHECK(output.buffer() == "abc7");
}

TEST_CASE("JSON that is not whole is a failure") {
  FormatOutput output(nullptr, false);
  output.WriteJson([](JsonWriter& writer) { writer.StartArray(); });
  CHECK_FALSE(output.Finish().ok());
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
