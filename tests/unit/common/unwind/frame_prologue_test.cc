#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/unwind/machine_code.h"

namespace geckoprof {
namespace {

std::vector<uint64_t> Sizes(const std::vector<uint8_t>& code) {
  const FrameSizes sizes = FindFrameSizes(code);
  return {sizes.bytes.begin(), sizes.bytes.begin() + static_cast<ptrdiff_t>(sizes.count)};
}

#ifdef __x86_64__
using Bytes = std::vector<uint64_t>;

TEST_CASE("x86-64: room behind the frame pointer counts, whatever stands between") {
  CHECK(Sizes({0x55, 0x48, 0x89, 0xe5, 0xc3}) == Bytes{0});
  CHECK(Sizes({0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0x90}) == Bytes{0});
  CHECK(Sizes({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0x90}) == Bytes{0, 0x20});
  CHECK(Sizes({0x55, 0x48, 0x89, 0xe5, 0x41, 0x57, 0x53, 0x48, 0x81, 0xec, 0x08, 0x10, 0, 0, 0x90}) ==
        Bytes{0, 0x1008});
  CHECK(Sizes({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xc4, 0x80}) == Bytes{0, 0x80});  // add $-128, %rsp
  CHECK(Sizes({0x55, 0x31, 0xc0, 0x48, 0x89, 0xe5, 0x90, 0x48, 0x83, 0xec, 0x10}) == Bytes{0, 0x10});
  // sub $4096, %rsp; orq $0, (%rsp); sub $16, %rsp
  CHECK(Sizes({0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0,    0x10, 0,   0,
               0x48, 0x83, 0x0c, 0x24, 0,    0x48, 0x83, 0xec, 0x10, 0x90}) == Bytes{0, 0x1000, 0x1010});
}

TEST_CASE("x86-64: other beginnings say nothing") {
  CHECK(Sizes({}).empty());
  CHECK(Sizes({0x55}).empty());
  CHECK(Sizes({0x55, 0x53, 0x48, 0x83, 0xec, 8}).empty());                           // saves it, does not set it
  CHECK(Sizes({0x48, 0x83, 0xec, 0x08}).empty());                                    // no frame pointer
  CHECK(Sizes({0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 8}) == Bytes{0});           // cut off
  CHECK(Sizes({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xc4, 0x08, 0x90}) == Bytes{0});  // add: none of ours
}

TEST_CASE("x86-64: the end of a function tells its return address") {
  const auto slot = [](const std::vector<uint8_t>& code) { return FindReturnSlot(code); };
  REQUIRE(slot({0xc3}));
  CHECK((slot({0xc3})->return_offset == 0 && slot({0xc3})->frame_bytes == 8));
  const auto pops = slot({0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0x41, 0x5c, 0xc3});  // add $24; pop rbx, rbp, r12; ret
  REQUIRE(pops);
  CHECK((pops->return_offset == 48 && pops->frame_bytes == 56 && pops->fp_offset == 32 && !pops->in_prologue));
  // mov (%rsp), %rbp; sub $-128, %rsp; nop; ret
  const auto go = slot({0x48, 0x8b, 0x2c, 0x24, 0x48, 0x83, 0xec, 0x80, 0x90, 0xc3});
  REQUIRE(go);
  CHECK((go->return_offset == 128 && go->fp_offset == 0));
  const auto large = slot({0x48, 0x81, 0xc4, 0, 1, 0, 0, 0xf3, 0xc3});  // add $256; rep ret
  REQUIRE(large);
  CHECK((large->return_offset == 256 && large->fp_offset == ReturnSlot::kNotSaved));
  const auto beginning = slot({0x48, 0x89, 0xe5});  // mov %rsp, %rbp
  REQUIRE(beginning);
  CHECK((beginning->return_offset == 8 && beginning->fp_offset == 0 && beginning->in_prologue));
}

TEST_CASE("x86-64: other code tells no return address") {
  const auto tells = [](const std::vector<uint8_t>& code) { return FindReturnSlot(code).has_value(); };
  CHECK_FALSE(tells({}));
  CHECK_FALSE(tells({0x31, 0xc0, 0xc3}));
  CHECK_FALSE(tells({0x5d}));                          // cut off
  CHECK_FALSE(tells({0x48, 0x83, 0xc4, 0xf8, 0xc3}));  // it lowers the stack pointer
  CHECK_FALSE(tells({0x48, 0x83, 0xc4, 0x04, 0xc3}));  // no whole word
  CHECK_FALSE(tells({0x48, 0x83, 0xc4}));
  CHECK_FALSE(tells({0x48, 0x8d, 0x6c, 0x24, 0xf8}));  // lea -8(%rsp), %rbp
}

TEST_CASE("x86-64: padding before a multiple of 16 ends a function") {
  std::vector<uint8_t> code(64, 0x90);
  CHECK(EndOfPadding(code, 0x1000) == 0);
  code[31] = 0xcc;
  CHECK(EndOfPadding(code, 0x1000) == 0);  // one such byte may be part of an instruction
  code[30] = 0xcc;
  CHECK(EndOfPadding(code, 0x1000) == 32);
  CHECK(EndOfPadding(code, 0x1008) == 0);
  code[62] = code[63] = 0xcc;
  CHECK(EndOfPadding(code, 0x1000) == 64);
  CHECK(EndOfPadding(std::span(code).first(63), 0x1000) == 32);
  CHECK(EndOfPadding({}, 0x1000) == 0);
}

TEST_CASE("x86-64: reserved space and a frame pointer are set-up of a frame") {
  const auto sets_up = [](const std::vector<uint8_t>& code) { return MaySetUpFrame(code); };
  CHECK_FALSE(sets_up({}));
  CHECK_FALSE(sets_up({0x31, 0xc0, 0x48, 0x83, 0xc4, 0x08}));  // add
  CHECK(sets_up({0x53, 0x90}));
  CHECK(sets_up({0x90, 0x48, 0x83, 0xec, 0x08}));
  CHECK(sets_up({0x90, 0x55, 0x48, 0x89, 0xe5}));
  CHECK(sets_up({0x48, 0x83, 0xc4, 0x80}));  // add $-128, %rsp
}
#else
using Bytes = std::vector<uint64_t>;

TEST_CASE("aarch64: the record is at the bottom, or where add says") {
  CHECK(Sizes({0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91}) == Bytes{0});  // stp x29, x30, [sp, -32]!; mov x29, sp
  CHECK(Sizes({0x3f, 0x23, 0x03, 0xd5, 0xfd, 0x7b, 0xbe, 0xa9, 0xfd, 0x03, 0x00, 0x91}) == Bytes{0});  // paciasp
  // sub sp, sp, 48; stp x29, x30, [sp, 32]; add x29, sp, 32
  CHECK(Sizes({0xff, 0xc3, 0x00, 0xd1, 0xfd, 0x7b, 0x02, 0xa9, 0xfd, 0x83, 0x00, 0x91}) == Bytes{32});
}

TEST_CASE("aarch64: other beginnings say nothing") {
  CHECK(Sizes({}).empty());
  CHECK(Sizes({0xfd, 0x7b, 0xbe, 0xa9}).empty());
  // add x29, sp, 16 behind a store at 32
  CHECK(Sizes({0xff, 0xc3, 0x00, 0xd1, 0xfd, 0x7b, 0x02, 0xa9, 0xfd, 0x43, 0x00, 0x91}).empty());
}

TEST_CASE("aarch64: the end of a function tells its return address") {
  const std::vector<uint8_t> end = {0xfd, 0x7b, 0xc2, 0xa8, 0xc0, 0x03, 0x5f, 0xd6};  // ldp x29, x30, [sp], 32; ret
  const auto slot = FindReturnSlot(end);
  REQUIRE(slot);
  CHECK((slot->return_offset == 8 && slot->frame_bytes == 32 && slot->fp_offset == 0));
  CHECK_FALSE(FindReturnSlot(std::vector<uint8_t>{0xc0, 0x03, 0x5f, 0xd6}));
}
#endif

}  // namespace
}  // namespace geckoprof
