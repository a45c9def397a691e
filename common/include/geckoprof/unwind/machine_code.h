// Recognising return addresses, and what was called.
#ifndef GECKOPROF_UNWIND_MACHINE_CODE_H_
#define GECKOPROF_UNWIND_MACHINE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// The longest call instruction that is recognised.
inline constexpr size_t kMaxCallBytes = 8;

// Whether the code that ends with these bytes may end with a call. May say yes for bytes that are none; never no for a
// call that compilers emit.
bool EndsWithCall(const uint8_t (&code)[kMaxCallBytes]);

// Where a call to a fixed place leads, if one ends there and returns to `return_avma`.
std::optional<uint64_t> DirectCallTarget(const uint8_t (&code)[kMaxCallBytes], uint64_t return_avma);

// Whether code begins like a stub of the procedure linkage table, or is a jump: what is called is elsewhere.
inline constexpr size_t kMaxStubBytes = 16;
bool BeginsWithJump(std::span<const uint8_t> code);

// As many as are worth reading: more than any prologue that is understood.
inline constexpr size_t kPrologueBytes = 64;

// How far below its frame pointer such a function keeps its stack pointer, once its frame is made: nothing was moved
// for alloca or for arguments on the stack. `code`: from the function's first instruction on. None: it sets up no frame
// pointer, or not in the way that compilers do.
std::optional<uint64_t> BytesBelowFramePointer(std::span<const uint8_t> code);

inline constexpr size_t kSignalTrampolineBytes = 9;

// Whether this code calls rt_sigreturn at once: a trampoline without unwind data (musl's, the aarch64 kernel's, or a
// program's own).
bool IsSignalTrampoline(const uint8_t (&code)[kSignalTrampolineBytes]);

// Changes `registers` from those in the trampoline to those of the interrupted code, from the frame that the kernel
// wrote at sp. False, with `missing_avma` set, if it was not copied.
bool StepOverSignalFrame(std::span<const StackView> stacks, Registers& registers, uint64_t& missing_avma);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_MACHINE_CODE_H_
