// The initial registers of an unwinding.
#ifndef GECKOPROF_UNWIND_REGISTERS_H_
#define GECKOPROF_UNWIND_REGISTERS_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/arch/registers.h"

namespace geckoprof {

// Registers holds the values of the general registers by DWARF number, and a bit for each known one.
//
// A sample taken by a signal has all registers. A sample of a blocked thread has only pc, sp and the arguments of its
// system call. The type is plain data, so signal code may fill it. Registers::FromPcAndSp(pc, sp) makes an object with
// these two registers.
struct Registers {
  static constexpr uint64_t kAllKnown = (uint64_t{1} << kDwarfRegisterCount) - 1;

  uint64_t values[kDwarfRegisterCount] = {};
  uint64_t known = 0;  // bit N: values[N] is known

  static Registers FromPcAndSp(uint64_t pc, uint64_t sp) {
    Registers registers;
    registers.Set(kDwarfPc, pc);
    registers.Set(kDwarfSp, sp);
    return registers;
  }

  bool Has(size_t number) const { return (known >> number & 1) != 0; }
  uint64_t pc() const { return values[kDwarfPc]; }
  uint64_t sp() const { return values[kDwarfSp]; }
  uint64_t fp() const { return values[kDwarfFp]; }
  void Set(size_t number, uint64_t value) {
    values[number] = value;
    known |= uint64_t{1} << number;
  }
  void Forget(size_t number) { known &= ~(uint64_t{1} << number); }
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_REGISTERS_H_
