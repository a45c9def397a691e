// Recognises call instructions, prologues and signal trampolines in machine code.
#ifndef GECKOPROF_UNWIND_MACHINE_CODE_H_
#define GECKOPROF_UNWIND_MACHINE_CODE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// The length of the longest call instruction.
inline constexpr size_t kMaxCallBytes = 8;

// Returns true if the code that ends with these bytes may end with a call. The result may be wrong for bytes that are
// no call. It is never false for a call that compilers emit.
bool EndsWithCall(const uint8_t (&code)[kMaxCallBytes]);

// Returns the target of a direct call that ends here and returns to `return_avma`, if there is one.
std::optional<uint64_t> DirectCallTarget(const uint8_t (&code)[kMaxCallBytes], uint64_t return_avma);

// Returns true if code begins with a jump or like a stub of the procedure linkage table. The called function is then
// elsewhere.
inline constexpr size_t kMaxStubBytes = 16;
bool BeginsWithJump(std::span<const uint8_t> code);

// No known prologue is longer than this.
inline constexpr size_t kPrologueBytes = 64;

// Returns the distance from the frame pointer down to the stack pointer after the prologue. Stack space for alloca or
// for arguments does not count. `code` starts with the function's first instruction. Returns nothing if the function
// sets up no frame pointer, or not in the way of compilers.
std::optional<uint64_t> BytesBelowFramePointer(std::span<const uint8_t> code);

inline constexpr size_t kSignalTrampolineBytes = 9;

// Returns true if this code calls rt_sigreturn at once. It is then a trampoline without unwind data, such as musl's,
// the aarch64 kernel's, or a program's own.
bool IsSignalTrampoline(const uint8_t (&code)[kSignalTrampolineBytes]);

// Changes `registers` from those in the trampoline to those of the interrupted code. They come from the frame that the
// kernel wrote at sp. Returns false and sets `missing_avma` if the frame was not copied.
bool StepOverSignalFrame(std::span<const StackView> stacks, Registers& registers, uint64_t& missing_avma);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_MACHINE_CODE_H_
