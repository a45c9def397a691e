#ifndef GECKOPROF_SIGNAL_CAPTURE_VALUE_H_
#define GECKOPROF_SIGNAL_CAPTURE_VALUE_H_

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// CaptureValue is the value that the signal of a request carries.
//
//   | 16 bits: the mark | 40 bits: token | 8 bits: index in the table |
//
// The program may queue the same signal to itself. Its values are never mistaken for a request, because no user-space
// address begins like the mark and no int is that large.
class CaptureValue {
 public:
  static constexpr uint64_t kTokenMask = (uint64_t{1} << 40) - 1;

  constexpr CaptureValue(uint64_t token, uint64_t index) : value_(kMark << 48 | (token & kTokenMask) << 8 | index) {}
  explicit CaptureValue(const siginfo_t& info) : value_(reinterpret_cast<uint64_t>(info.si_value.sival_ptr)) {}

  constexpr bool is_marked() const { return value_ >> 48 == kMark; }
  constexpr uint64_t token() const { return value_ >> 8 & kTokenMask; }
  constexpr size_t index() const { return value_ & 0xff; }
  void* pointer() const { return reinterpret_cast<void*>(value_); }

 private:
  static constexpr uint64_t kMark = 0x6b70;

  uint64_t value_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_SIGNAL_CAPTURE_VALUE_H_
