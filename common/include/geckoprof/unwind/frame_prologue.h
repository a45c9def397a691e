// What the first instructions of a function say of its frame.
#ifndef GECKOPROF_UNWIND_FRAME_PROLOGUE_H_
#define GECKOPROF_UNWIND_FRAME_PROLOGUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace geckoprof {

// As many as are worth reading: more than any prologue that is understood.
inline constexpr size_t kPrologueBytes = 64;

// How far below its frame pointer such a function keeps its stack pointer, once its frame is made: nothing was moved
// for alloca or for arguments on the stack. `code`: from the function's first instruction on. None: it sets up no frame
// pointer, or not in the way that compilers do.
std::optional<uint64_t> BytesBelowFramePointer(std::span<const uint8_t> code);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FRAME_PROLOGUE_H_
