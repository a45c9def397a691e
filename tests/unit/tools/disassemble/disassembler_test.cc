#include "tools/disassemble/disassembler.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("x86-64 in Intel's syntax, with targets") {
  // mov rax, rdi; call 0x1010; jmp 0x1000; call rax; ret
  const uint8_t code[] = {0x48, 0x89, 0xf8, 0xe8, 0x08, 0x00, 0x00, 0x00, 0xeb, 0xf6, 0xff, 0xd0, 0xc3};
  const auto found = Disassemble(CodeArch::kX86_64, code, 0x1000);
  REQUIRE(found.ok());
  REQUIRE(found->size() == 5);
  CHECK((*found)[0].text == "mov rax, rdi");
  CHECK((*found)[0].target == std::nullopt);
  CHECK((*found)[1].offset == 3);
  CHECK((*found)[1].text == "call 0x1010");
  CHECK((*found)[1].target == 0x1010);
  CHECK((*found)[2].target == 0x1000);
  CHECK((*found)[3].text == "call rax");
  CHECK((*found)[3].target == std::nullopt);
  CHECK((*found)[4].text == "ret");
}

TEST_CASE("aarch64") {
  // mov x0, x1; bl +8; cbz x0, +4; ret
  const uint8_t code[] = {0xe0, 0x03, 0x01, 0xaa, 0x02, 0x00, 0x00, 0x94,
                          0x20, 0x00, 0x00, 0xb4, 0xc0, 0x03, 0x5f, 0xd6};
  const auto found = Disassemble(CodeArch::kAarch64, code, 0x2000);
  REQUIRE(found.ok());
  REQUIRE(found->size() == 4);
  CHECK((*found)[0].text == "mov x0, x1");
  CHECK((*found)[1].target == 0x200c);
  CHECK((*found)[2].target == 0x200c);
  CHECK((*found)[3].text == "ret");
}

TEST_CASE("bytes that are no instruction are shown, and do not end it") {
  const uint8_t code[] = {0x06, 0x07, 0xc3};  // not in 64-bit mode
  const auto found = Disassemble(CodeArch::kX86_64, code, 0);
  REQUIRE(found.ok());
  REQUIRE_FALSE(found->empty());
  CHECK(found->front().text.find(".byte") == 0);
  CHECK(found->back().text == "ret");
  CHECK(Disassemble(CodeArch::kX86_64, {}, 0)->empty());
}

}  // namespace
}  // namespace geckoprof
