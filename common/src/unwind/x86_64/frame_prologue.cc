#include "geckoprof/unwind/frame_prologue.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace geckoprof {
namespace {

class Code {
 public:
  explicit Code(std::span<const uint8_t> bytes) : left_(bytes) {}

  template <size_t kCount>
  bool Skip(const std::array<uint8_t, kCount>& bytes) {
    if (left_.size() < kCount || !std::equal(bytes.begin(), bytes.end(), left_.begin())) return false;
    left_ = left_.subspan(kCount);
    return true;
  }
  template <typename Number>
  bool Read(Number& number) {
    if (left_.size() < sizeof(number)) return false;
    std::memcpy(&number, left_.data(), sizeof(number));
    left_ = left_.subspan(sizeof(number));
    return true;
  }
  // push of any register (50+r, with REX.B for r8 to r15).
  bool SkipPush() {
    const size_t prefix = !left_.empty() && left_[0] == 0x41 ? 1 : 0;
    if (left_.size() <= prefix || (left_[prefix] & 0xf8) != 0x50) return false;
    left_ = left_.subspan(prefix + 1);
    return true;
  }

 private:
  std::span<const uint8_t> left_;
};

constexpr std::array<uint8_t, 4> kEndbr64 = {0xf3, 0x0f, 0x1e, 0xfa};
constexpr std::array<uint8_t, 1> kPushRbp = {0x55};
constexpr std::array<uint8_t, 3> kMovRbpRsp = {0x48, 0x89, 0xe5};
constexpr std::array<uint8_t, 3> kSubRspImm8 = {0x48, 0x83, 0xec};
constexpr std::array<uint8_t, 3> kSubRspImm32 = {0x48, 0x81, 0xec};
constexpr std::array<uint8_t, 5> kProbeRsp = {0x48, 0x83, 0x0c, 0x24,
                                              0x00};  // orq $0, (%rsp): -fstack-clash-protection

}  // namespace

// push %rbp; mov %rsp, %rbp; pushes; sub $n, %rsp. In another order, or with something in between, it is not told.
std::optional<uint64_t> BytesBelowFramePointer(std::span<const uint8_t> bytes) {
  Code code(bytes);
  code.Skip(kEndbr64);
  if (!code.Skip(kPushRbp) || !code.Skip(kMovRbpRsp)) return std::nullopt;
  uint64_t below = 0;
  for (;;) {
    int8_t small = 0;
    int32_t large = 0;
    if (code.SkipPush()) {
      below += 8;
    } else if (code.Skip(kSubRspImm8)) {
      if (!code.Read(small)) return std::nullopt;
      below += static_cast<uint64_t>(int64_t{small});
    } else if (code.Skip(kSubRspImm32)) {
      if (!code.Read(large)) return std::nullopt;
      below += static_cast<uint64_t>(int64_t{large});
    } else if (!code.Skip(kProbeRsp)) {
      return below;
    }
  }
}

}  // namespace geckoprof
