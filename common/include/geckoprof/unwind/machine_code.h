// Recognises call instructions, prologues and signal trampolines in machine code.
#ifndef GECKOPROF_UNWIND_MACHINE_CODE_H_
#define GECKOPROF_UNWIND_MACHINE_CODE_H_

#include <array>
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

// StubTarget is the place where code leads that begins with a jump, such as a stub of the procedure linkage table. If
// both members are 0, the code does not tell.
struct StubTarget {
  uint64_t avma = 0;
  uint64_t slot_avma = 0;  // of the word that holds the target
};
inline constexpr size_t kMaxStubBytes = 16;
// Returns nothing if code at `avma` does not begin with a jump.
std::optional<StubTarget> FindStubTarget(std::span<const uint8_t> code, uint64_t avma);

// The place of a return address, counted from the stack pointer.
struct ReturnSlot {
  static constexpr uint32_t kNotSaved = UINT32_MAX;

  uint32_t return_offset = 0;
  uint32_t frame_bytes = 0;        // from the stack pointer to that of the caller
  uint32_t fp_offset = kNotSaved;  // kNotSaved: the register has the caller's value
  bool in_prologue = false;        // Code after a call may look the same, so this is true of an exact pc alone.
};

// Reads the instructions from pc on. Returns the place of the return address if they are the end of a function, from
// the first instruction that raises the stack pointer on. On x86-64 it is also known between the instructions that set
// up a frame. Returns nothing for other code.
inline constexpr size_t kReturnSlotBytes = 24;
std::optional<ReturnSlot> FindReturnSlot(std::span<const uint8_t> code);

// FollowedCode is the code from a function's first instruction to a place.
struct FollowedCode {
  bool is_of_function = true;      // false if the function ends before the place
  std::optional<ReturnSlot> slot;  // the place of the return address; empty if it is not known
};
// Follows the stack pointer through code, from the first instruction of a function to the end of `code`. The slot is
// not known if the code sets the stack pointer in another way than by numbers.
FollowedCode FollowStackPointer(std::span<const uint8_t> code);

// Returns the offset of the last function that begins at or before `end`, in code at `avma`, or 0. Compilers pad
// functions to a multiple of 16 or 32 bytes. Go's pads with int3, of which one byte is not noticed. Others pad with
// nops. They pad jump targets as well, so the code behind nops must also look like the beginning of a function.
size_t FindLastStart(std::span<const uint8_t> code, uint64_t avma, size_t end);
// Does the same for functions that follow the return of another one directly. Without alignment, the bytes of a return
// may be part of an instruction, so the result is often wrong.
size_t FindLastStartWithoutPadding(std::span<const uint8_t> code, size_t end);
// The number of bytes behind `end` that FindLastStart may look at.
inline constexpr size_t kStartBytes = 32;

// No known prologue is longer than this.
inline constexpr size_t kPrologueBytes = 96;

// FrameSizes holds possible distances from the frame pointer down to the stack pointer after a prologue, without the
// registers that the prologue pushes. The most likely one is the last.
struct FrameSizes {
  static constexpr size_t kMax = 8;
  std::array<uint64_t, kMax> bytes = {};
  size_t count = 0;

  void Add(uint64_t size_bytes) {
    if (count < kMax) bytes[count++] = size_bytes;
  }
};

// Searches the code from a function's first instruction on for instructions that reserve stack space. Compilers put
// others between them. Stack space for alloca or for arguments does not count. Returns no size if the function sets up
// no frame pointer.
FrameSizes FindFrameSizes(std::span<const uint8_t> code);

// Returns true if this code calls rt_sigreturn at once, or behind nops and landing pads. It is then a trampoline
// without unwind data, such as musl's, the aarch64 kernel's, or a program's own.
bool IsSignalTrampoline(std::span<const uint8_t> code);

// Changes `registers` from those in the trampoline to those of the interrupted code. They come from the frame that the
// kernel wrote at sp. Returns false and sets `missing_avma` if the frame was not copied.
bool StepOverSignalFrame(std::span<const StackView> stacks, Registers& registers, uint64_t& missing_avma);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_MACHINE_CODE_H_
