// A row of call frame information in 8 bytes.
#ifndef GECKOPROF_UNWIND_COMPACT_RULE_H_
#define GECKOPROF_UNWIND_COMPACT_RULE_H_

#include <cstdint>

#include "geckoprof/unwind/cfi_row.h"

namespace geckoprof {

// CompactRule is the compact form of nearly all rows. Offsets count 8-byte words.
//
//   bits  0..3   kind
//   bits  4..23  cfa    CFA = sp or fp + 8 * cfa
//   bits 24..43  ra     the return address is at CFA + 8 * ra; kNotSaved: still in the link register
//   bits 44..63  fp     the caller's frame pointer is at CFA + 8 * fp; kNotSaved: unchanged
//
// The rule covers only sp, fp, the link register and the return address. After a step by it, the other registers that a
// call preserves are unknown. If one is needed later, which is rare, the unwinding starts again, row by row.
struct CompactRule {
  enum Kind : uint8_t {
    kFromSp,
    kFromFp,
    kStart,       // the return address is undefined: the thread's first function
    kRow,         // the row does not fit
    kNoRule,      // the module has no entry for the address
    kFromFpSlot,  // CFA = word at fp + 8 * cfa, caller's fp = word at fp: a stack realigned by the compiler
  };
  static constexpr int64_t kNotSaved = -(1 << 19);

  uint64_t kind : 4;
  int64_t cfa : 20;
  int64_t ra : 20;
  int64_t fp : 20;

  static CompactRule FromKind(Kind kind) { return {kind, 0, 0, 0}; }
  // Returns a rule of kind kRow if the row does not fit.
  static CompactRule FromRow(const CfiRow& row, const FrameDescription& description);
};
static_assert(sizeof(CompactRule) == 8);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_COMPACT_RULE_H_
