#include <catch2/catch.hpp>
#include <utility>
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
  CHECK(FindLastStart(code, 0x1000, 64) == 0);
  code[31] = 0xcc;
  CHECK(FindLastStart(code, 0x1000, 64) == 0);  // one such byte may be part of an instruction
  code[30] = 0xcc;
  CHECK(FindLastStart(code, 0x1000, 64) == 32);
  CHECK(FindLastStart(code, 0x1008, 64) == 0);
  code[62] = code[63] = 0xcc;
  CHECK(FindLastStart(code, 0x1000, 64) == 64);
  CHECK(FindLastStart(code, 0x1000, 63) == 32);
  CHECK(FindLastStart({}, 0x1000, 0) == 0);
  CHECK(FindLastStart(code, 0x1005, 3) == 0);
}

TEST_CASE("x86-64: nops between the end of a function and what looks like a beginning are padding") {
  const auto start = [](std::vector<uint8_t> end, const std::vector<uint8_t>& beginning) {
    end.insert(end.begin(), 16 - end.size(), 0x90);
    end.insert(end.end(), beginning.begin(), beginning.end());
    return FindLastStart(end, 0x1000, end.size());
  };
  const std::vector<uint8_t> ret = {0xc3, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
  CHECK(start(ret, {0x53, 0x90}) == 16);                                // push %rbx
  CHECK(start(ret, {0x48, 0x89, 0xf8, 0x48, 0x83, 0xec, 0x18}) == 16);  // mov %rdi, %rax; sub $24, %rsp
  CHECK(start(ret, {0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0}) == 16);        // endbr64
  CHECK(start({0xe9, 1, 2, 3, 4, 0x66, 0x90}, {0x41, 0x57}) == 16);     // a function ends with a jump; push %r15
  CHECK(start({0xff, 0x25, 1, 2, 3, 4, 0x66, 0x90, 0, 0, 0, 0}, {0x53, 0x90}) == 16);  // a stub, another section
  CHECK(start({0xc3}, {0x53, 0x90}) == 16);                                            // no padding is needed
  CHECK(start(ret, {0x31, 0xc0, 0x90}) == 0);                                          // the target of a jump
  CHECK(start({0x31, 0xc0, 0x66, 0x90}, {0x53, 0x90}) == 0);                           // nothing ends
  CHECK(start(ret, {0x85, 0xff, 0x75, 0x01, 0xc3, 0x53}) == 16);                       // test; jne 1f; ret; 1: push
  CHECK(start(ret, {0x85, 0xff, 0x75, 0x02, 0xc3, 0x53}) == 0);
  CHECK(start({0xc3, 0x01, 0x90}, {0x53, 0x90}) == 0);  // these are no nops
}

TEST_CASE("x86-64: a function may follow the return of another one directly") {
  const std::vector<uint8_t> code = {0x90, 0x48, 0x89, 0xc3, 0x90, 0xc3, 0x53, 0x90, 0xc3, 0x31, 0xc0, 0x90};
  CHECK(FindLastStartWithoutPadding(code, code.size()) == 6);
  CHECK(FindLastStartWithoutPadding(code, 6) == 6);
  CHECK(FindLastStartWithoutPadding(code, 5) == 0);
  CHECK(FindLastStartWithoutPadding({}, 7) == 0);
}

// The depth and the place of the saved frame pointer, or -1 where they are not known.
std::pair<int64_t, int64_t> Follow(const std::vector<uint8_t>& code) {
  const auto [is_of_function, slot] = FollowStackPointer(code);
  CHECK(is_of_function);
  if (!slot) return {-1, -1};
  CHECK(slot->frame_bytes == slot->return_offset + 8);
  return {slot->return_offset, slot->fp_offset == ReturnSlot::kNotSaved ? -1 : int64_t{slot->fp_offset}};
}
using Followed = std::pair<int64_t, int64_t>;

TEST_CASE("x86-64: the stack pointer is followed through the code of a function") {
  CHECK(Follow({}) == Followed{0, -1});
  CHECK(Follow({0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xc0}) == Followed{0, -1});  // endbr64; xor %eax, %eax
  // push %r15; push %rbp; mov %rdi, %rbp; push %rbx; sub $0x18, %rsp; call
  const std::vector<uint8_t> begin = {0x41, 0x57, 0x55, 0x48, 0x89, 0xfd, 0x53, 0x48,
                                      0x83, 0xec, 0x18, 0xe8, 1,    2,    3,    4};
  CHECK(Follow(begin) == Followed{48, 32});
  CHECK(Follow({0x48, 0x81, 0xec, 0, 1, 0, 0, 0x66, 0x0f, 0x6f, 0x05, 1, 2, 3, 4}) == Followed{256, -1});
  CHECK(Follow({0x48, 0x83, 0xec, 0x08, 0x6a, 0x01, 0xff, 0x30, 0xe8, 1, 2, 3, 4, 0x48, 0x83, 0xc4, 0x10}) ==
        Followed{8, -1});  // arguments on the stack
  // add $0x18, %rsp; pop %rbx; pop %rbp; pop %r15; ret; and the code of a slow path, which has the frame
  std::vector<uint8_t> code = begin;
  code.insert(code.end(), {0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d});
  CHECK(Follow(code) == Followed{8, -1});  // the frame pointer is the caller's again
}

TEST_CASE("x86-64: code behind an end belongs to the jump that leads there") {
  // test %edi, %edi; je 1f; push %rbx; call; pop %rbx; ret; nop; 1: xor %eax, %eax
  CHECK(Follow({0x85, 0xff, 0x74, 0x09, 0x53, 0xe8, 1, 2, 3, 4, 0x5b, 0xc3, 0x90, 0x31, 0xc0}) == Followed{0, -1});
  CHECK(Follow({0x85, 0xff, 0x75, 0x09, 0x53, 0xe8, 1, 2, 3, 4, 0x5b, 0xc3}) == Followed{8, -1});
}

TEST_CASE("x86-64: a loop may begin behind a jump") {
  CHECK(Follow({0x53, 0xeb, 0x10, 0x31, 0xc0, 0xe8, 1, 2, 3, 4}) == Followed{8, -1});  // push %rbx; jmp
  CHECK(Follow({0xeb, 0x10, 0x31, 0xc0}) == Followed{0, -1});
}

TEST_CASE("x86-64: code behind an end to which nothing jumps belongs to another function") {
  const std::vector<uint8_t> end = {0x53, 0xe8, 1, 2, 3, 4, 0x5b, 0xc3, 0x31, 0xc0};
  CHECK_FALSE(FollowStackPointer(end).is_of_function);
  CHECK_FALSE(FollowStackPointer(std::vector<uint8_t>{0x31, 0xc0, 0xe9, 1, 2, 3, 4, 0x53}).is_of_function);
  // A jump through a table may lead there: push %rbx; jmp *%rax; xor %eax, %eax; pop %rbx; ret; xor %eax, %eax
  CHECK(Follow({0x53, 0xff, 0xe0, 0x31, 0xc0, 0x5b, 0xc3, 0x31, 0xc0}) == Followed{8, -1});
  // So may one of too many jumps.
  std::vector<uint8_t> code = {0x53};
  for (int i = 0; i < 33; ++i) code.insert(code.end(), {0x74, 0x7f});
  code.insert(code.end(), {0x5b, 0xc3, 0x31, 0xc0});
  CHECK(Follow(code) == Followed{8, -1});
}

TEST_CASE("x86-64: where code sets the stack pointer otherwise, or is cut off, nothing is known") {
  const Followed nothing = {-1, -1};
  CHECK(Follow({0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xe0}) == nothing);  // and $-32, %rsp
  CHECK(Follow({0x48, 0x29, 0xc4}) == nothing);                                // sub %rax, %rsp
  CHECK(Follow({0x48, 0x8d, 0x65, 0xd8}) == nothing);                          // lea -40(%rbp), %rsp
  CHECK(Follow({0xc9}) == nothing);                                            // leave
  CHECK(Follow({0x58}) == nothing);                                            // pop above the return address
  CHECK(Follow({0x48, 0x83, 0xec}) == nothing);
  CHECK(Follow({0xe8, 1, 2}) == nothing);
  CHECK(Follow({0x06}) == nothing);                                        // not in 64-bit mode
  CHECK(Follow({0x49, 0x89, 0xe4}) == Followed{0, -1});                    // mov %rsp, %r12
  CHECK(Follow({0x4c, 0x89, 0xe0, 0x48, 0x39, 0xc4}) == Followed{0, -1});  // mov %r12, %rax; cmp %rax, %rsp
}

TEST_CASE("x86-64: instructions of all shapes have the right length") {
  // Each line is one instruction. An instruction too long or too short hides the push behind it, or finds another one.
  const std::vector<std::vector<uint8_t>> instructions = {
      {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0x02, 0},  // cs nopw 0x200(%rax,%rax)
      {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8},              // movabs
      {0xb8, 1, 2, 3, 4},
      {0x66, 0xb8, 1, 2},
      {0xc7, 0x44, 0x24, 0x08, 1, 2, 3, 4},           // movl $n, 8(%rsp)
      {0x66, 0xc7, 0x04, 0x24, 1, 2},                 // movw $n, (%rsp)
      {0xf6, 0x05, 1, 2, 3, 4, 5},                    // testb $5, n(%rip)
      {0xf7, 0xd8},                                   // neg %eax
      {0xf7, 0xc7, 1, 2, 3, 4},                       // test $n, %edi
      {0x48, 0x69, 0xc0, 1, 2, 3, 4},                 // imul $n, %rax, %rax
      {0x8b, 0x04, 0x25, 1, 2, 3, 4},                 // mov n, %eax
      {0xf2, 0x0f, 0x59, 0x05, 1, 2, 3, 4},           // mulsd n(%rip), %xmm0
      {0x66, 0x0f, 0x70, 0xc0, 0xee},                 // pshufd
      {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8},              // palignr
      {0x66, 0x0f, 0x38, 0x00, 0xc1},                 // pshufb
      {0x0f, 0x84, 1, 2, 3, 4},                       // je
      {0x0f, 0xa2},                                   // cpuid
      {0x0f, 0xbe, 0x44, 0x24, 0x10},                 // movsbl
      {0xc5, 0xfd, 0x6f, 0x07},                       // vmovdqa (%rdi), %ymm0
      {0xc4, 0xe3, 0x7d, 0x39, 0xc1, 1},              // vextracti128
      {0xc5, 0xf8, 0x77},                             // vzeroupper
      {0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x07},           // vmovdqu64 (%rdi), %zmm0
      {0x62, 0xf3, 0x75, 0x48, 0x25, 0xc2, 0xff},     // vpternlogd
      {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0},  // mov %fs:0x28, %rax
      {0xf0, 0x48, 0x0f, 0xb1, 0x11},                 // lock cmpxchg
      {0xf3, 0x48, 0xab},                             // rep stos
      {0xd9, 0xee},                                   // fldz
      {0xc1, 0xe0, 5},
      {0xcc},
  };
  for (const std::vector<uint8_t>& instruction : instructions) {
    std::vector<uint8_t> code = instruction;
    INFO(int{instruction[0]} << " " << instruction.size());
    CHECK(Follow(code) == Followed{0, -1});
    code.push_back(0x53);
    CHECK(Follow(code) == Followed{8, -1});
    code.pop_back();
    code.pop_back();
    if (!code.empty() && code.back() != instruction.back()) CHECK(Follow(code) != Followed{8, -1});
  }
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
