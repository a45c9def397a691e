// The code that a signal handler returns to.
#ifndef GECKOPROF_UNWIND_SIGNAL_TRAMPOLINE_H_
#define GECKOPROF_UNWIND_SIGNAL_TRAMPOLINE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

inline constexpr size_t kSignalTrampolineBytes = 9;

// Whether this code calls rt_sigreturn at once: a trampoline without unwind data (musl's, the aarch64 kernel's, or a
// program's own).
bool IsSignalTrampoline(const uint8_t (&code)[kSignalTrampolineBytes]);

// Changes `registers` from those in the trampoline to those of the interrupted code, from the frame that the kernel
// wrote at sp. False, with `missing_avma` set, if it was not copied.
bool StepOverSignalFrame(std::span<const StackView> stacks, Registers& registers, uint64_t& missing_avma);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_SIGNAL_TRAMPOLINE_H_
