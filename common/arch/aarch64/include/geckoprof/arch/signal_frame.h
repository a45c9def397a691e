// The frame that the Linux kernel puts on the stack of a signal handler, on aarch64.
#ifndef GECKOPROF_ARCH_SIGNAL_FRAME_H_
#define GECKOPROF_ARCH_SIGNAL_FRAME_H_

#include <sys/ucontext.h>

#include <cstddef>
#include <cstdint>

#include "geckoprof/arch/registers.h"

namespace geckoprof {

// The most bytes of a frame. Both figures are the same. A thread may use the registers of SVE and SME at any time,
// without a request to the kernel.
struct SignalFrame {
  static constexpr size_t kUncheckedBytes = 0;
  uint32_t usual_bytes;
  uint32_t largest_bytes;
};

// Returns the frame of this machine. `reported_bytes` is AT_MINSIGSTKSZ, or 0 if the kernel does not report it.
// Context: any, signal safe.
inline SignalFrame ReadSignalFrame(size_t reported_bytes) {
  constexpr uint32_t kWithoutSve = 5120;  // MINSIGSTKSZ
  const uint32_t bytes = reported_bytes != 0 ? static_cast<uint32_t>(reported_bytes) : kWithoutSve;
  return {bytes, bytes};
}

// Converts a signal's saved context to DWARF register numbers. Fills values[kDwarfRegisterCount]. Context: any, signal
// context included.
inline void CopyUcontextRegisters(const ucontext_t& context, uint64_t* values) {
  for (unsigned i = 0; i <= kDwarfLink; ++i) values[i] = context.uc_mcontext.regs[i];
  values[kDwarfSp] = context.uc_mcontext.sp;
  values[kDwarfPc] = context.uc_mcontext.pc;
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_SIGNAL_FRAME_H_
