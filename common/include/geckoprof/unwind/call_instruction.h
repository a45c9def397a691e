// Recognising return addresses, and what was called.
#ifndef GECKOPROF_UNWIND_CALL_INSTRUCTION_H_
#define GECKOPROF_UNWIND_CALL_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

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

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_CALL_INSTRUCTION_H_
