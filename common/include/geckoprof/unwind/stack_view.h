// Copied stack bytes.
#ifndef GECKOPROF_UNWIND_STACK_VIEW_H_
#define GECKOPROF_UNWIND_STACK_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace geckoprof {

// StackView: borrowed bytes that were copied from `base_avma` on. Nothing outside them is ever read.
struct StackView {
  const uint8_t* bytes = nullptr;
  uint64_t base_avma = 0;
  size_t size_bytes = 0;

  uint64_t end_avma() const { return base_avma + size_bytes; }

  // Returns true if all of [avma, avma + wanted_bytes) was copied. Below the base the difference wraps to a huge
  // number.
  bool Contains(uint64_t avma, size_t wanted_bytes) const {
    const uint64_t offset = avma - base_avma;
    return offset <= size_bytes && wanted_bytes <= size_bytes - offset;
  }
  bool ReadWord(uint64_t avma, uint64_t& value) const {
    if (!Contains(avma, sizeof value)) return false;
    std::memcpy(&value, bytes + (avma - base_avma), sizeof value);
    return true;
  }
};

// Reads a word from the copy that contains it. A handler on an alternate stack runs above another stack.
inline bool ReadStackWord(std::span<const StackView> views, uint64_t avma, uint64_t& value) {
  for (const StackView& view : views) {
    if (view.ReadWord(avma, value)) return true;
  }
  return false;
}

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_STACK_VIEW_H_
