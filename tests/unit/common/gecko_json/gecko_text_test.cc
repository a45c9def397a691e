#include "geckoprof/gecko_json/gecko_text.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("labels that look like something else get a harmless space") {
  CHECK(GeckoLabelText("Solver::Run step:64") == "Solver::Run step:64 ");
  CHECK(GeckoLabelText("run (file.cc:12)") == "run (file.cc:12) ");
  CHECK(GeckoLabelText("run (a.js:1:2)[7]") == "run (a.js:1:2)[7] ");
  CHECK(GeckoLabelText("f (in libm.so)") == "f (in libm.so) ");
  CHECK(GeckoLabelText("f (in libm.so) + 12") == "f (in libm.so) + 12 ");
  CHECK(GeckoLabelText("0xff") == " 0xff");
  for (const char* text : {"", "plain", "std::max", "a:", "64", "f()", "f(int)", "a[3]"}) {
    CHECK(GeckoLabelText(text) == text);
  }
}

TEST_CASE("addresses are written in lower-case hex without leading zeros") {
  CHECK(GeckoAddressText(0) == "0x0");
  CHECK(GeckoAddressText(0x7f7971cf1c15) == "0x7f7971cf1c15");
  CHECK(GeckoAddressText(UINT64_MAX) == "0xffffffffffffffff");
}

TEST_CASE("build ids: a GUID with its first three fields turned round, and the whole") {
  const char bytes[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\xff\xee\xdd\xcc";
  const std::string_view id(bytes, 20);
  CHECK(BreakpadId(id) == "0403020106050807090A0B0C0D0E0F100");
  CHECK(CodeId(id) == "0102030405060708090a0b0c0d0e0f10ffeeddcc");
  CHECK(BreakpadId(id.substr(0, 1)) == "000000010000000000000000000000000");  // filled up
  CHECK(BreakpadId("").empty());
  CHECK(CodeId("").empty());
}

TEST_CASE("the path of the vDSO is its loader's name") {
  CHECK(LibraryPathText("[vdso]") == "linux-vdso.so.1");
  CHECK(LibraryPathText("/lib/[vdso]") == "/lib/[vdso]");
}

}  // namespace
}  // namespace geckoprof
