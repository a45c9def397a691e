#include "tools/profile/gecko_location.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("location strings") {
  const std::vector<GeckoLibrary> libraries = {{0x1000, 0x2000, 0, "demo"}, {0x3000, 0x4000, 0x100, "libc"}};
  const auto parse = [&](const char* text) {
    const GeckoLocation location = ParseGeckoLocation(text, libraries);
    return location.name + " | " + location.library;
  };
  CHECK(parse("0x1010") == "demo+0x10 | demo");
  CHECK(parse("0x3010") == "libc+0x110 | libc");
  CHECK(parse("0x2000") == "0x2000 | ");
  CHECK(parse("0xfff") == "0xfff | ");
  CHECK(parse("0x4000") == "0x4000 | ");
  CHECK(parse("0xzz") == "0xzz | ");
  CHECK(parse("0x11112222333344445") == "0x11112222333344445 | ");
  CHECK(parse("Run() (in libdemo.so)") == "Run() | libdemo.so");
  CHECK(parse("Run() (in libdemo.so) + 123") == "Run() | libdemo.so");
  CHECK(parse("Run() (in libdemo.so) (a.cc:7)") == "Run() | libdemo.so");
  CHECK(parse("waiting (in a queue) for it") == "waiting (in a queue) for it | ");
  CHECK(parse("x (in )") == "x (in ) | ");
  CHECK(parse("tick (file:///a.js:1:2)[7]") == "tick (file:///a.js:1:2) | ");
  CHECK(parse("operator[]") == "operator[] | ");
  CHECK(parse("a[b]") == "a[b] | ");
  CHECK(parse("]") == "] | ");
  CHECK(parse("") == " | ");
}

}  // namespace
}  // namespace geckoprof
