// Converts the registers of a capture for the unwinder.
#ifndef GECKOPROF_BASEPROFILER_SAMPLER_CAPTURED_REGISTERS_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_CAPTURED_REGISTERS_H_

#include <cstdint>

#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/unwind/registers.h"

namespace geckoprof {

inline Registers ToUnwindRegisters(const CapturedRegisters& captured) {
  Registers registers;
  for (size_t number = 0; number < kDwarfRegisterCount && number < CapturedRegisters::kCount; ++number) {
    if ((captured.known >> number & 1) != 0) registers.Set(number, captured.values[number]);
  }
  registers.Set(kDwarfPc, captured.pc);
  registers.Set(kDwarfSp, captured.sp);
  return registers;
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_CAPTURED_REGISTERS_H_
