#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <optional>
#include <vector>

#include "geckoprof/unwind/machine_code.h"

using namespace geckoprof;

namespace {

// The code before a return address ends with these bytes; what stands before them is no call.
bool Ends(const std::vector<uint8_t>& bytes) {
  uint8_t code[kMaxCallBytes] = {};
  std::copy(bytes.begin(), bytes.end(), std::end(code) - bytes.size());
  return EndsWithCall(code);
}

// Where this function returns to is behind a call, whatever the compiler made of it.
[[gnu::noinline]] bool CallerIsRecognised() {
  const auto* behind = static_cast<const uint8_t*>(__builtin_return_address(0));
  uint8_t code[kMaxCallBytes];
  std::copy(behind - kMaxCallBytes, behind, code);
  return EndsWithCall(code);
}

[[gnu::noinline]] std::optional<uint64_t> TargetOfCaller() {
  const auto* behind = static_cast<const uint8_t*>(__builtin_return_address(0));
  uint8_t code[kMaxCallBytes];
  std::copy(behind - kMaxCallBytes, behind, code);
  return DirectCallTarget(code, reinterpret_cast<uint64_t>(behind));
}

// The call's return address is 0x10000.
std::optional<uint64_t> TargetOf(const std::vector<uint8_t>& bytes) {
  uint8_t code[kMaxCallBytes] = {};
  std::copy(bytes.begin(), bytes.end(), std::end(code) - bytes.size());
  return DirectCallTarget(code, 0x10000);
}

}  // namespace

TEST_CASE("where a direct call leads") {
  CHECK(TargetOfCaller() == reinterpret_cast<uint64_t>(&TargetOfCaller));
  std::optional<uint64_t> (*volatile by_pointer)() = TargetOfCaller;
  const std::optional<uint64_t> unknown = by_pointer();
  CHECK(unknown != reinterpret_cast<uint64_t>(&TargetOfCaller));
}

TEST_CASE("the call that this test makes is recognised") {
  CHECK(CallerIsRecognised());
  bool (*volatile by_pointer)() = CallerIsRecognised;
  CHECK(by_pointer());
}

#ifdef __x86_64__
TEST_CASE("x86-64: direct calls, and indirect ones of each length") {
  CHECK(Ends({0xe8, 1, 2, 3, 4}));
  CHECK(Ends({0xff, 0xd0}));                       // call *%rax
  CHECK(Ends({0x41, 0xff, 0xd3}));                 // call *%r11
  CHECK(Ends({0xff, 0x10}));                       // call *(%rax)
  CHECK(Ends({0xff, 0x14, 0x24}));                 // call *(%rsp)
  CHECK(Ends({0xff, 0x50, 0x18}));                 // call *24(%rax)
  CHECK(Ends({0xff, 0x54, 0x24, 8}));              // call *8(%rsp)
  CHECK(Ends({0xff, 0x15, 1, 2, 3, 4}));           // call *disp(%rip)
  CHECK(Ends({0xff, 0x90, 0x80, 0, 0, 0}));        // call *128(%rax)
  CHECK(Ends({0xff, 0x94, 0xc3, 0x80, 0, 0, 0}));  // call *128(%rbx,%rax,8)
  CHECK(Ends({0xff, 0x14, 0xc5, 0x80, 0, 0, 0}));  // call *128(,%rax,8)
}

TEST_CASE("x86-64: targets forwards and backwards, and none of indirect calls") {
  CHECK(TargetOf({0xe8, 0, 1, 0, 0}) == 0x10100);
  CHECK(TargetOf({0xe8, 0, 0xff, 0xff, 0xff}) == 0xff00);
  CHECK_FALSE(TargetOf({0xff, 0xd0}).has_value());
}

TEST_CASE("x86-64: stubs and jumps tell where they lead, and other beginnings are none") {
  const auto target = [](const std::vector<uint8_t>& code) { return FindStubTarget(code, 0x1000); };
  REQUIRE(target({0xff, 0x25, 0, 1, 0, 0}));
  CHECK((target({0xff, 0x25, 0, 1, 0, 0})->slot_avma == 0x1106 && target({0xff, 0x25, 0, 1, 0, 0})->avma == 0));
  const auto bound = target({0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0, 1, 0, 0});  // endbr64; bnd jmp
  REQUIRE(bound);
  CHECK(bound->slot_avma == 0x110b);
  const auto lazy = target({0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0});  // endbr64; push
  REQUIRE(lazy);
  CHECK((lazy->avma == 0 && lazy->slot_avma == 0));
  REQUIRE(target({0xe9, 0, 1, 0, 0}));
  CHECK(target({0xe9, 0, 1, 0, 0})->avma == 0x1105);
  REQUIRE(target({0xeb, 0xf0}));
  CHECK(target({0xeb, 0xf0})->avma == 0xff2);
  CHECK_FALSE(target({0x55, 0x48, 0x89, 0xe5}));
  CHECK_FALSE(target({0xff, 0xd0}));
  CHECK_FALSE(target({0xff, 0x25, 1}));
  CHECK_FALSE(target({0xf3, 0x0f, 0x1e, 0xfa}));
  CHECK_FALSE(target({}));
}

TEST_CASE("x86-64: jumps, pushes and other bytes are no calls") {
  CHECK_FALSE(Ends({0xff, 0xe0}));        // jmp *%rax
  CHECK_FALSE(Ends({0xff, 0x30}));        // push (%rax)
  CHECK_FALSE(Ends({0xe9, 1, 2, 3, 4}));  // jmp
  CHECK_FALSE(Ends({0xe8, 1, 2, 3}));     // too short
  CHECK_FALSE(Ends({0xff, 0xd0, 0x90}));  // a call, and a nop behind it
  CHECK_FALSE(Ends({0xff, 0x50}));        // its displacement is missing
  CHECK_FALSE(Ends({0xff, 0x15, 1, 2, 3}));
  CHECK_FALSE(Ends({0, 0, 0, 0, 0, 0, 0, 0}));
}
#else
TEST_CASE("aarch64: bl, blr and the authenticated forms; branches and returns are none") {
  CHECK(Ends({0x01, 0x00, 0x00, 0x94}));                                // bl
  CHECK(Ends({0xff, 0xff, 0xff, 0x97}));                                // bl, backwards
  CHECK(Ends({0x00, 0x02, 0x3f, 0xd6}));                                // blr x16
  CHECK(Ends({0x1f, 0x0a, 0x3f, 0xd6}));                                // blraaz x16
  CHECK(Ends({0x11, 0x0a, 0x3f, 0xd7}));                                // blraa x16, x17
  CHECK_FALSE(Ends({0x01, 0x00, 0x00, 0x14}));                          // b
  CHECK_FALSE(Ends({0x00, 0x02, 0x1f, 0xd6}));                          // br x16
  CHECK_FALSE(Ends({0xc0, 0x03, 0x5f, 0xd6}));                          // ret
  CHECK_FALSE(Ends({0x01, 0x00, 0x00, 0x94, 0x1f, 0x20, 0x03, 0xd5}));  // bl, and a nop behind it
}
TEST_CASE("aarch64: targets forwards and backwards, and none of indirect calls") {
  CHECK(TargetOf({0x02, 0, 0, 0x94}) == 0x10004);               // bl +8
  CHECK(TargetOf({0xff, 0xff, 0xff, 0x97}) == 0xfff8);          // bl -4
  CHECK_FALSE(TargetOf({0x00, 0x02, 0x3f, 0xd6}).has_value());  // blr x16
}

TEST_CASE("aarch64: stubs and jumps tell where they lead, and other beginnings are none") {
  const auto target = [](const std::vector<uint8_t>& code) { return FindStubTarget(code, 0x10008); };
  // The stub adds 0x11000 to the page and 24 to the sum.
  REQUIRE(target({0x90, 0, 0, 0xb0, 0x11, 0x0e, 0x40, 0xf9}));
  CHECK(target({0x90, 0, 0, 0xb0, 0x11, 0x0e, 0x40, 0xf9})->slot_avma == 0x21018);
  CHECK(target({0x5f, 0x24, 0x03, 0xd5, 0x10, 0, 0, 0x90, 0x11, 0x0e, 0x40, 0xf9})->slot_avma == 0x10018);  // bti c
  REQUIRE(target({0x10, 0, 0, 0x90}));
  CHECK(target({0x10, 0, 0, 0x90})->slot_avma == 0);  // the code does not tell
  REQUIRE(target({0x02, 0, 0, 0x14}));
  CHECK(target({0x02, 0, 0, 0x14})->avma == 0x10010);  // b
  CHECK(target({0xff, 0xff, 0xff, 0x17})->avma == 0x10004);
  CHECK_FALSE(target({0xfd, 0x7b, 0xbf, 0xa9}));  // stp
  CHECK_FALSE(target({}));
}
#endif
