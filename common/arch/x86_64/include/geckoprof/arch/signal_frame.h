// The frame that the Linux kernel puts on the stack of a signal handler, on x86-64.
//
//   high | alignment | XSAVE area | end mark | siginfo, ucontext, return address | alignment | the handler's stack |
//   low
//
// The XSAVE area holds the registers of the enabled components in the standard format (Intel SDM volume 1, 13.4). The
// area has tile data of AMX, 8 KiB, only after the process has asked for it by arch_prctl(ARCH_REQ_XCOMP_PERM). The
// kernel's own figure, AT_MINSIGSTKSZ, always includes tile data if the processor has it.
#ifndef GECKOPROF_ARCH_SIGNAL_FRAME_H_
#define GECKOPROF_ARCH_SIGNAL_FRAME_H_

#include <cpuid.h>
#include <sys/ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "geckoprof/arch/registers.h"

namespace geckoprof {

// The most bytes of a frame. The kernel gives no larger frame than usual to a process with a small alternate stack. It
// refuses tile data (ENOSPC) if the stack of any thread is smaller than AT_MINSIGSTKSZ. Afterwards it refuses a stack
// of up to AT_MINSIGSTKSZ - kUncheckedBytes (ENOMEM). See validate_sigaltstack in arch/x86/kernel/fpu/xstate.c and
// sigaltstack_size_valid in arch/x86/kernel/signal.c, since Linux 5.16.
struct SignalFrame {
  static constexpr size_t kUncheckedBytes = 128;
  uint32_t usual_bytes;    // without tile data
  uint32_t largest_bytes;  // with all components that the processor has
};

// The place of a component in the XSAVE area (CPUID leaf 0xD, the sub-leaf is the component's number).
struct XsaveComponent {
  uint32_t bytes;
  uint32_t offset_bytes;
};

// Returns the size of an XSAVE area. `components` has a bit for each component, as XCR0 has.
template <typename ComponentAt>
uint32_t XsaveBytes(uint64_t components, const ComponentAt& component_at) {
  uint32_t end = 512 + 64;  // x87 and SSE, then the header
  for (uint32_t i = 2; i < 63; ++i) {
    if ((components >> i & 1) == 0) continue;
    const XsaveComponent component = component_at(i);
    end = std::max(end, component.offset_bytes + component.bytes);
  }
  return end;
}

// Returns the frame of a machine. `reported_bytes` is its AT_MINSIGSTKSZ, or 0 if the kernel does not report it.
// `enabled` is its XCR0.
template <typename ComponentAt>
SignalFrame SignalFrameWith(size_t reported_bytes, uint64_t enabled, const ComponentAt& component_at) {
  constexpr uint64_t kTileData = uint64_t{1} << 18;
  constexpr uint32_t kRestBytes = 63 + 4 + 440 + 23;  // alignment, end mark, structures, alignment
  constexpr uint32_t kOf32BitBytes = 416;             // the figure includes the larger structures of 32-bit programs
  const uint32_t largest_bytes = XsaveBytes(enabled, component_at) + kRestBytes;
  const uint32_t usual_bytes = XsaveBytes(enabled & ~kTileData, component_at) + kRestBytes;
  const auto reported = static_cast<uint32_t>(reported_bytes);
  if (reported <= largest_bytes + kOf32BitBytes) return {usual_bytes, largest_bytes};
  // This kernel puts something there that is not known here.
  return {usual_bytes + (reported - largest_bytes), reported};
}

// Returns the frame of this machine. Context: any, signal safe.
inline SignalFrame ReadSignalFrame(size_t reported_bytes) {
  uint64_t enabled = 0;
  uint32_t eax, ebx, ecx, edx;
  __cpuid(1, eax, ebx, ecx, edx);
  if ((ecx & bit_OSXSAVE) != 0) {
    uint32_t low, high;
    asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    enabled = uint64_t{high} << 32 | low;
  }
  return SignalFrameWith(reported_bytes, enabled, [](uint32_t number) {
    XsaveComponent component;
    uint32_t flags, reserved;
    __cpuid_count(0xd, number, component.bytes, component.offset_bytes, flags, reserved);
    return component;
  });
}

// Converts a signal's saved context to DWARF register numbers. Fills values[kDwarfRegisterCount]. Context: any, signal
// context included.
inline void CopyUcontextRegisters(const ucontext_t& context, uint64_t* values) {
  static constexpr int kPlace[kDwarfRegisterCount] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                      REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                      REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (unsigned i = 0; i < kDwarfRegisterCount; ++i) {
    values[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[kPlace[i]]);
  }
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_SIGNAL_FRAME_H_
