#ifndef GECKOPROF_JSON_PROPORTION_VALUE_H_
#define GECKOPROF_JSON_PROPORTION_VALUE_H_

#include <cstdint>

namespace geckoprof {

// ProportionValue: a share between 0 and 1 in one 32-bit word, so that it can be published in one atomic store.
//
//   0 ............................ kOne ...... kUnderflow kOverflow kInvalid
//   exact multiples of 1/kOne                  marks: the result of an operation that left 0..1, or has no meaning
//
// kOne = 2^5 * 3^2 * 5^2 * 7 * 11 * 13 * 17 * 19: halves, thirds, ..., 22nds and percents are exact, so that the parts
// of a loop add up to the whole. Operations on a mark return the mark.
class ProportionValue {
 public:
  static constexpr uint32_t kOne = 2'327'925'600;

  constexpr ProportionValue() = default;
  // Clamps to 0..1; NaN is 0.
  static constexpr ProportionValue FromDouble(double share) {
    if (!(share > 0)) return ProportionValue(0);
    if (share >= 1) return ProportionValue(kOne);
    return ProportionValue(static_cast<uint32_t>(share * kOne + 0.5));
  }
  // part / whole, clamped; invalid where whole is 0.
  static constexpr ProportionValue FromFraction(uint32_t part, uint32_t whole) {
    if (whole == 0) return Invalid();
    if (part >= whole) return ProportionValue(kOne);
    return ProportionValue(static_cast<uint32_t>(static_cast<uint64_t>(kOne) * part / whole));
  }
  static constexpr ProportionValue FromBits(uint32_t bits) { return ProportionValue(bits); }
  static constexpr ProportionValue Zero() { return ProportionValue(0); }
  static constexpr ProportionValue One() { return ProportionValue(kOne); }
  static constexpr ProportionValue Invalid() { return ProportionValue(kInvalid); }
  static constexpr ProportionValue Overflow() { return ProportionValue(kOverflow); }
  static constexpr ProportionValue Underflow() { return ProportionValue(kUnderflow); }

  constexpr bool IsValid() const { return bits_ <= kOne; }
  constexpr bool IsOverflow() const { return bits_ == kOverflow; }
  constexpr bool IsUnderflow() const { return bits_ == kUnderflow; }
  constexpr bool IsInvalid() const { return bits_ > kOne && !IsOverflow() && !IsUnderflow(); }
  constexpr uint32_t ToBits() const { return bits_; }
  // 0 for a mark other than overflow, which is 1.
  constexpr double ToDouble() const {
    if (IsOverflow()) return 1;
    return IsValid() ? static_cast<double>(bits_) / kOne : 0;
  }

  friend constexpr ProportionValue operator+(ProportionValue a, ProportionValue b) {
    if (!a.IsValid()) return a;
    if (!b.IsValid()) return b;
    const uint64_t sum = static_cast<uint64_t>(a.bits_) + b.bits_;
    return sum > kOne ? Overflow() : ProportionValue(static_cast<uint32_t>(sum));
  }
  friend constexpr ProportionValue operator-(ProportionValue a, ProportionValue b) {
    if (!a.IsValid()) return a;
    if (!b.IsValid()) return b;
    return a.bits_ < b.bits_ ? Underflow() : ProportionValue(a.bits_ - b.bits_);
  }
  friend constexpr ProportionValue operator*(ProportionValue a, ProportionValue b) {
    if (!a.IsValid()) return a;
    if (!b.IsValid()) return b;
    return ProportionValue(static_cast<uint32_t>(static_cast<uint64_t>(a.bits_) * b.bits_ / kOne));
  }
  friend constexpr bool operator==(ProportionValue a, ProportionValue b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator<(ProportionValue a, ProportionValue b) { return a.bits_ < b.bits_; }

 private:
  static constexpr uint32_t kInvalid = UINT32_MAX;
  static constexpr uint32_t kOverflow = UINT32_MAX - 1;
  static constexpr uint32_t kUnderflow = UINT32_MAX - 2;

  explicit constexpr ProportionValue(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = kInvalid;
};

namespace proportion_literals {
// 25_percent
constexpr ProportionValue operator""_percent(unsigned long long percent) {
  return percent >= 100 ? ProportionValue::One() : ProportionValue::FromFraction(static_cast<uint32_t>(percent), 100);
}
}  // namespace proportion_literals

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_PROPORTION_VALUE_H_
