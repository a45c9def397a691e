// The length of x86-64 instructions, and the parts of them that change the stack pointer.
#ifndef GECKOPROF_UNWIND_X86_64_INSTRUCTION_H_
#define GECKOPROF_UNWIND_X86_64_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace geckoprof {

// Instruction is one decoded instruction (Intel SDM, volume 2, chapter 2).
//
//   | prefixes | REX | opcode | ModRM | SIB | displacement | immediate |
//
// Context: any.
struct Instruction {
  static constexpr uint8_t kEscape = 0x0f;  // the opcode of all instructions with more than one opcode byte
  static constexpr uint8_t kSp = 4;

  size_t size_bytes = 0;  // 0: cut off, or not known
  uint8_t rex = 0;
  uint8_t opcode = 0;
  uint8_t second_opcode = 0;  // of an instruction of two opcode bytes, apart from VEX and EVEX
  bool has_modrm = false;
  uint8_t modrm = 0;
  int64_t number = 0;  // the immediate, or a displacement of 4 bytes if there is none

  uint8_t extension() const { return modrm >> 3 & 7; }  // part of some opcodes
  bool IsModrmSp() const { return modrm >> 6 == 3 && (modrm & 7) == kSp && (rex & 1) == 0; }
  bool IsReturn() const { return opcode == 0xc3 || opcode == 0xc2; }
  bool IsConditionalJump() const {
    return opcode >> 4 == 7 || (opcode & 0xfc) == 0xe0 || (opcode == kEscape && second_opcode >> 4 == 8);
  }
  bool IsDirectJump() const { return opcode == 0xe9 || opcode == 0xeb; }
  bool IsJump() const { return IsDirectJump() || (opcode == 0xff && extension() == 4); }
  // The next instruction does not follow this one.
  bool IsEnd() const {
    return IsReturn() || IsJump() || opcode == 0xf4 || (opcode == kEscape && second_opcode == 0x0b);
  }
  bool IsCall() const { return opcode == 0xe8 || (opcode == 0xff && extension() == 2); }
  bool IsNop() const { return opcode == 0x90 || (opcode == kEscape && second_opcode == 0x1f); }
  // Returns true if it sets the stack pointer, apart from pushes, pops, calls and returns.
  bool SetsSp() const {
    switch (opcode) {
      case 0x9c:  // pushf, popf, enter, leave
      case 0x9d:
      case 0xc8:
      case 0xc9:
        return true;
      case 0x81:
      case 0x83:
        return extension() != 7 && IsModrmSp();
      case 0x87:
      case 0x89:
      case 0x8f:
        return IsModrmSp() || opcode == 0x8f;
      case 0x63:
      case 0x8b:
      case 0x8d:
        return extension() == kSp && (rex & 4) == 0;
      default:
        if (opcode >= 0x38 || opcode == kEscape) return false;
        return (opcode & 7) == 1 ? IsModrmSp() : (opcode & 7) == 3 && extension() == kSp && (rex & 4) == 0;
    }
  }
};

// The shapes of instructions tell the bytes behind the opcode:
//   .           none
//   m           ModRM
//   b, w, d     an immediate of 1, 2 or 4 bytes; d has 2 bytes with an operand size prefix
//   j           4 bytes in any case
//   q           4 bytes, or 8 with REX.W
//   B, D        ModRM and such an immediate
//   F, G        ModRM and such an immediate, which only test has
//   p           this is a prefix
//   e, v, E     a second opcode byte, VEX, EVEX
//   x           not known
inline char ShapeOf(uint8_t opcode) {
  static constexpr char kShapes[] =
      "mmmmbdxxmmmmbdxemmmmbdxxmmmmbdxxmmmmbdpxmmmmbdpxmmmmbdpxmmmmbdpx"
      "xxxxxxxxxxxxxxxx................xxEmppppdDbB....bbbbbbbbbbbbbbbb"
      "BDxBmmmmmmmmmmmm..........x.....xxxx....bd......bbbbbbbbqqqqqqqq"
      "BBw.vvBDx.w..bx.mmmmxxx.mmmmmmmmbbbbbbbbjjxb....p.pp..FG......mm";
  return kShapes[opcode];
}

// Does the same for the opcode behind 0f (`map` 1), 0f 38 (2) or 0f 3a (3), or behind VEX and EVEX.
inline char ShapeOfSecond(unsigned map, uint8_t opcode) {
  const unsigned row = opcode >> 4;
  const unsigned column = opcode & 15;
  if (map != 1) return map == 3 ? 'B' : 'm';
  if (row == 8) return 'j';
  if ((row == 7 && column < 4) || opcode == 0xa4 || opcode == 0xac || opcode == 0xba || opcode == 0xc2 ||
      (row == 0xc && column >= 4 && column <= 6)) {
    return 'B';
  }
  const bool is_plain = (row == 0 && column >= 5 && column <= 0xe && column != 0xd) || row == 3 || opcode == 0x77 ||
                        (row == 0xa && column % 8 < 3) || (row == 0xc && column >= 8);
  return is_plain ? '.' : 'm';
}

inline size_t NumberBytes(char shape, bool has_short_operand, bool has_long_operand) {
  switch (shape) {
    case 'b':
    case 'B':
    case 'F':
      return 1;
    case 'w':
      return 2;
    case 'd':
    case 'D':
    case 'G':
      return has_short_operand ? 2 : 4;
    case 'j':
      return 4;
    case 'q':
      return has_short_operand ? 2 : has_long_operand ? 8 : 4;
    default:
      return 0;
  }
}

// Reads the first instruction. Size counts more than speed, because few walks need it.
[[gnu::cold]] inline Instruction ReadInstruction(std::span<const uint8_t> bytes) {
  Instruction result;
  size_t at = 0;
  const auto next = [&] { return at < bytes.size() ? bytes[at++] : (at = SIZE_MAX, uint8_t{0}); };
  bool has_short_operand = false;
  result.opcode = next();
  while (ShapeOf(result.opcode) == 'p') {
    has_short_operand |= result.opcode == 0x66;
    result.opcode = next();
  }
  if (result.opcode >> 4 == 4) {
    result.rex = result.opcode;
    result.opcode = next();
  }
  char shape = ShapeOf(result.opcode);
  if (shape == 'e') {
    result.second_opcode = next();
    const bool has_third = result.second_opcode == 0x38 || result.second_opcode == 0x3a;
    shape = has_third ? ShapeOfSecond(result.second_opcode == 0x38 ? 2 : 3, next())
                      : ShapeOfSecond(1, result.second_opcode);
  } else if (shape == 'v' || shape == 'E') {
    unsigned map = 1;
    if (result.opcode != 0xc5) map = next() & 7;
    for (int i = shape == 'E' ? 2 : 1; i > 0; --i) next();
    shape = ShapeOfSecond(map, next());
    result.opcode = Instruction::kEscape;
  }
  if (shape == 'x') return {};
  size_t number_bytes = NumberBytes(shape, has_short_operand, (result.rex & 8) != 0);
  result.has_modrm = shape == 'm' || (shape >= 'A' && shape <= 'Z');
  if (result.has_modrm) {
    result.modrm = next();
    const unsigned mode = result.modrm >> 6;
    uint8_t base = result.modrm & 7;
    if (mode != 3 && base == 4) base = next() & 7;
    size_t displacement_bytes = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
    if ((shape == 'F' || shape == 'G') && result.extension() > 1) number_bytes = 0;
    if (number_bytes == 0 && displacement_bytes == 4) std::swap(number_bytes, displacement_bytes);
    at += displacement_bytes;
  }
  if (at > bytes.size() || number_bytes > bytes.size() - at) return {};
  uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, number_bytes);
  const size_t unused_bits = 64 - 8 * number_bytes;
  if (number_bytes != 0) result.number = static_cast<int64_t>(number << unused_bits) >> unused_bits;
  result.size_bytes = at + number_bytes;
  return result;
}

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_X86_64_INSTRUCTION_H_
