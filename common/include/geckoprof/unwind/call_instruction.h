// Recognising return addresses.
#ifndef GECKOPROF_UNWIND_CALL_INSTRUCTION_H_
#define GECKOPROF_UNWIND_CALL_INSTRUCTION_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// The longest call instruction that is recognised.
inline constexpr size_t kMaxCallBytes = 8;

// Whether the code that ends with these bytes may end with a call. May say yes for bytes that are none; never no for a
// call that compilers emit.
bool EndsWithCall(const uint8_t (&code)[kMaxCallBytes]);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_CALL_INSTRUCTION_H_
