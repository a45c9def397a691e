#include "geckoprof/unwind/dwarf_expression.h"

#include <utility>

namespace geckoprof {

namespace {

// Operations (DWARF 5, 2.5.1 and table 7.9).
enum : uint8_t {
  kAddr = 0x03,
  kDeref = 0x06,
  kConst1u = 0x08,
  kConst1s = 0x09,
  kConst2u = 0x0a,
  kConst2s = 0x0b,
  kConst4u = 0x0c,
  kConst4s = 0x0d,
  kConst8u = 0x0e,
  kConst8s = 0x0f,
  kConstu = 0x10,
  kConsts = 0x11,
  kDup = 0x12,
  kDrop = 0x13,
  kOver = 0x14,
  kPick = 0x15,
  kSwap = 0x16,
  kRot = 0x17,
  kAbs = 0x19,
  kAnd = 0x1a,
  kDiv = 0x1b,
  kMinus = 0x1c,
  kMod = 0x1d,
  kMul = 0x1e,
  kNeg = 0x1f,
  kNot = 0x20,
  kOr = 0x21,
  kPlus = 0x22,
  kPlusUconst = 0x23,
  kShl = 0x24,
  kShr = 0x25,
  kShra = 0x26,
  kXor = 0x27,
  kBra = 0x28,
  kEq = 0x29,
  kGe = 0x2a,
  kGt = 0x2b,
  kLe = 0x2c,
  kLt = 0x2d,
  kNe = 0x2e,
  kSkip = 0x2f,
  kLit0 = 0x30,
  kLit31 = 0x4f,
  kBreg0 = 0x70,
  kBreg31 = 0x8f,
  kBregx = 0x92,
  kDerefSize = 0x94,
  kNop = 0x96,
};

constexpr unsigned kMaxOperations = 1000;

uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }
int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

std::optional<uint64_t> DwarfExpression::Evaluate(CfiReader expression, std::optional<uint64_t> initial) {
  problem_ = UnwindProblem();
  depth_ = 0;
  if (initial.has_value()) Push(*initial);
  CfiReader rest = expression;
  for (unsigned operations = 0; !rest.AtEnd(); ++operations) {
    if (operations == kMaxOperations || !Step(rest, expression) || !rest.ok()) return std::nullopt;
  }
  if (!rest.ok() || depth_ == 0) return std::nullopt;
  return values_[depth_ - 1];
}

bool DwarfExpression::Step(CfiReader& rest, const CfiReader& whole) {
  const uint8_t operation = rest.U8();
  if (operation >= kLit0 && operation <= kLit31) return Push(operation - kLit0);
  if (operation >= kBreg0 && operation <= kBreg31) return PushRegister(operation - kBreg0, rest.Sleb());
  if (operation == kAddr || (operation >= kConst1u && operation <= kConsts)) return PushConstant(operation, rest);
  if (operation >= kDup && operation <= kRot) return Rearrange(operation, rest);
  switch (operation) {
    case kBregx: {
      const uint64_t number = rest.Uleb();
      return PushRegister(number, rest.Sleb());
    }
    case kNop:
      return true;
    case kBra:
    case kSkip: {
      const int64_t distance = rest.Fixed<int16_t>();
      if (operation == kBra) {
        if (depth_ == 0) return false;
        if (values_[--depth_] == 0) return true;
      }
      const int64_t target = Signed(whole.remaining() - rest.remaining()) + distance;
      if (target < 0 || Unsigned(target) > whole.remaining()) return false;
      rest = whole;
      rest.Skip(Unsigned(target));
      return true;
    }
    case kDeref:
    case kDerefSize:
    case kAbs:
    case kNeg:
    case kNot:
    case kPlusUconst:
      return Unary(operation, rest);
    default:
      return Binary(operation);
  }
}

bool DwarfExpression::PushConstant(uint8_t operation, CfiReader& rest) {
  switch (operation) {
    case kConst1u:
      return Push(rest.U8());
    case kConst1s:
      return Push(Unsigned(int64_t{rest.Fixed<int8_t>()}));
    case kConst2u:
      return Push(rest.Fixed<uint16_t>());
    case kConst2s:
      return Push(Unsigned(int64_t{rest.Fixed<int16_t>()}));
    case kConst4u:
      return Push(rest.Fixed<uint32_t>());
    case kConst4s:
      return Push(Unsigned(int64_t{rest.Fixed<int32_t>()}));
    case kConstu:
      return Push(rest.Uleb());
    case kConsts:
      return Push(Unsigned(rest.Sleb()));
    default:  // kAddr, kConst8u, kConst8s
      return Push(rest.Fixed<uint64_t>());
  }
}

bool DwarfExpression::PushRegister(uint64_t number, int64_t offset) {
  if (number >= kDwarfRegisterCount) return false;
  if (!registers_.Has(number)) {
    problem_ = {UnwindEnd::kRegisterUnknown, 0, static_cast<uint8_t>(number)};
    return false;
  }
  return Push(registers_.values[number] + Unsigned(offset));
}

bool DwarfExpression::Rearrange(uint8_t operation, CfiReader& rest) {
  const unsigned index = operation == kPick ? rest.U8() : operation == kOver ? 1 : 0;
  switch (operation) {
    case kDup:
    case kOver:
    case kPick:
      return index < depth_ && Push(values_[depth_ - 1 - index]);
    case kDrop:
      if (depth_ == 0) return false;
      --depth_;
      return true;
    case kSwap:
      if (depth_ < 2) return false;
      std::swap(values_[depth_ - 1], values_[depth_ - 2]);
      return true;
    default: {  // kRot: the top goes under the two below it
      if (depth_ < 3) return false;
      std::swap(values_[depth_ - 1], values_[depth_ - 2]);
      std::swap(values_[depth_ - 2], values_[depth_ - 3]);
      return true;
    }
  }
}

bool DwarfExpression::Unary(uint8_t operation, CfiReader& rest) {
  if (depth_ == 0) return false;
  uint64_t& top = values_[depth_ - 1];
  switch (operation) {
    case kDeref:
      return Dereference(sizeof(uint64_t));
    case kDerefSize:
      return Dereference(rest.U8());
    case kAbs:
      if (Signed(top) < 0) top = -top;
      return true;
    case kNeg:
      top = -top;
      return true;
    case kNot:
      top = ~top;
      return true;
    default:
      top += rest.Uleb();
      return true;
  }
}

bool DwarfExpression::Binary(uint8_t operation) {
  if (depth_ < 2) return false;
  const uint64_t b = values_[--depth_];
  uint64_t& a = values_[depth_ - 1];
  switch (operation) {
    case kAnd:
      return a &= b, true;
    case kDiv:
      if (b == 0) return false;
      a = Signed(b) == -1 ? -a : Unsigned(Signed(a) / Signed(b));  // the one quotient that overflows wraps
      return true;
    case kMinus:
      return a -= b, true;
    case kMod:
      if (b == 0) return false;
      return a %= b, true;
    case kMul:
      return a *= b, true;
    case kOr:
      return a |= b, true;
    case kPlus:
      return a += b, true;
    case kShl:
      return a = b < 64 ? a << b : 0, true;
    case kShr:
      return a = b < 64 ? a >> b : 0, true;
    case kShra:
      return a = Unsigned(Signed(a) >> (b < 64 ? b : 63)), true;
    case kXor:
      return a ^= b, true;
    case kEq:
      return a = a == b, true;
    case kGe:
      return a = Signed(a) >= Signed(b), true;
    case kGt:
      return a = Signed(a) > Signed(b), true;
    case kLe:
      return a = Signed(a) <= Signed(b), true;
    case kLt:
      return a = Signed(a) < Signed(b), true;
    case kNe:
      return a = a != b, true;
    default:
      return false;
  }
}

bool DwarfExpression::Dereference(unsigned size_bytes) {
  if (size_bytes == 0 || size_bytes > sizeof(uint64_t)) return false;
  uint64_t& top = values_[depth_ - 1];
  for (const StackView& stack : stacks_) {
    if (!stack.Contains(top, size_bytes)) continue;
    uint64_t value = 0;  // both architectures are little-endian: the low bytes come first
    std::memcpy(&value, stack.bytes + (top - stack.base_avma), size_bytes);
    top = value;
    return true;
  }
  problem_ = {UnwindEnd::kStackCut, top, 0};
  return false;
}

bool DwarfExpression::Push(uint64_t value) {
  if (depth_ == kMaxDepth) return false;
  values_[depth_++] = value;
  return true;
}

}  // namespace geckoprof
