#include "geckoprof/unwind/compact_rule.h"

#include <optional>

#include "geckoprof/arch/registers.h"
#include "geckoprof/modules/cfi_reader.h"

namespace geckoprof {

namespace {

using RowKind = RegisterRule::Kind;

// An offset in words, if it is one and fits.
std::optional<int64_t> Words(int64_t offset) {
  if (offset % 8 != 0 || offset / 8 <= CompactRule::kNotSaved || offset / 8 >= -CompactRule::kNotSaved) {
    return std::nullopt;
  }
  return offset / 8;
}

// Returns the place of a saved register relative to the CFA, or kNotSaved if the register is unchanged.
std::optional<int64_t> SavedWords(const RegisterRule& rule) {
  if (rule.kind == RowKind::kUnspecified || rule.kind == RowKind::kSameValue) return CompactRule::kNotSaved;
  return rule.kind == RowKind::kOffset ? Words(rule.offset) : std::nullopt;
}

// The offset of an expression that is "fp + offset" and, if asked for, the word there.
std::optional<int64_t> FpOffset(const RegisterRule& rule, bool dereferenced) {
  CfiReader reader(rule.expression, rule.expression_bytes);
  if (reader.U8() != 0x70 + kDwarfFp) return std::nullopt;  // DW_OP_breg of fp
  const int64_t offset = reader.Sleb();
  if (dereferenced && reader.U8() != 0x06) return std::nullopt;  // DW_OP_deref
  return reader.ok() && reader.AtEnd() ? Words(offset) : std::nullopt;
}

}  // namespace

CompactRule CompactRule::FromRow(const CfiRow& row, const FrameDescription& description) {
  const CompactRule whole_row = FromKind(kRow);
  if (description.return_address_column != kDwarfLink) return whole_row;
  const RegisterRule& return_rule = row.registers[kDwarfLink];
  if (return_rule.kind == RowKind::kUndefined) return FromKind(kStart);
  if (description.is_signal_frame || row.registers[kDwarfSp].kind != RowKind::kUnspecified) return whole_row;
  const std::optional<int64_t> ra = SavedWords(return_rule);
  if (!ra.has_value() || (*ra == kNotSaved && kDwarfLink == kDwarfPc)) return whole_row;

  const RegisterRule& fp_rule = row.registers[kDwarfFp];
  if (row.cfa.kind == RowKind::kValExpression) {
    const std::optional<int64_t> slot = FpOffset(row.cfa, true);
    if (!slot.has_value() || fp_rule.kind != RowKind::kExpression || FpOffset(fp_rule, false) != 0) return whole_row;
    return {kFromFpSlot, *slot, *ra, 0};
  }
  const std::optional<int64_t> fp = SavedWords(fp_rule);
  const std::optional<int64_t> cfa = Words(row.cfa.offset);
  if (row.cfa.kind != RowKind::kRegister || !fp.has_value() || !cfa.has_value()) return whole_row;
  if (row.cfa.number == kDwarfSp) return {kFromSp, *cfa, *ra, *fp};
  if (row.cfa.number == kDwarfFp) return {kFromFp, *cfa, *ra, *fp};
  return whole_row;
}

}  // namespace geckoprof
