#ifndef GECKOPROF_JSON_DECIMAL_DIGITS_H_
#define GECKOPROF_JSON_DECIMAL_DIGITS_H_

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace geckoprof {

// Writes decimal digits two at a time, starting with the first (James Anhalt's algorithm). It needs less than half of
// RapidJSON's instructions.
//
// A number is held as a fraction of a power of 100, with 32 bits after the point. The two digits before the point are
// the next ones. Multiplying the bits after the point by 100 gives the digits after them. The fraction is rounded up so
// little that the error never reaches the next digit. The comments at the powers have the sums.
//
//   123456  ->  12 . 3456  ->  "12", 34 . 56  ->  "34", 56 . 0  ->  "56"
class DecimalDigits {
 public:
  // Writes `number` and returns the end. There may be 20 digits. `out` must have room for one more byte.
  static char* Write(char* out, uint64_t number) {
    if (number >= 100'000'000) return WriteLong(out, number);
    const auto low = static_cast<uint32_t>(number);
    if (low < 100) return WriteFirst(out, low);
    if (low < 10'000) return WriteRest<1>(WriteFirst(out, Fraction4(low) >> 32), Fraction4(low));
    if (low < 1'000'000) return WriteRest<2>(WriteFirst(out, Fraction6(low) >> 32), Fraction6(low));
    return WriteRest<3>(WriteFirst(out, Fraction8(low) >> 32), Fraction8(low));
  }

  // Writes six digits, leading zeros included, and returns their end. REQUIRES: `number` < 1,000,000.
  static char* WriteSix(char* out, uint32_t number) {
    const uint64_t fraction = Fraction6(number);
    return WriteRest<2>(WritePair(out, fraction >> 32), fraction);
  }

 private:
  // These return number / 100, 10,000 or 1,000,000, times 2^32, for a number of up to 4, 6 or 8 digits. The excess,
  // times all later factors, stays below 2^32. It is 0.04 * 10^4 * 100, 0.27 * 10^6 * 10^4 and 444 * 10^6.
  static uint64_t Fraction4(uint32_t number) { return uint64_t{42'949'673} * number; }
  static uint64_t Fraction6(uint32_t number) { return uint64_t{429'497} * number; }
  static uint64_t Fraction8(uint32_t number) { return (uint64_t{281'474'977} * number >> 16) + 1; }

  static char* WriteLong(char* out, uint64_t number);

  // Each element has two digits, the first one in the lowest byte.
  static constexpr std::array<uint16_t, 100> kPairs = [] {
    std::array<uint16_t, 100> pairs{};
    for (unsigned i = 0; i < 100; ++i) pairs[i] = static_cast<uint16_t>(('0' + i / 10) | ('0' + i % 10) << 8);
    return pairs;
  }();

  static char* WritePair(char* out, uint64_t value) {
    const uint16_t text = kPairs[value];
    std::memcpy(out, &text, sizeof(text));
    return out + 2;
  }
  // Writes a number below 100 without a leading zero.
  static char* WriteFirst(char* out, uint64_t value) {
    const int is_single = value < 10;
    const uint16_t text = static_cast<uint16_t>(kPairs[value] >> 8 * is_single);
    std::memcpy(out, &text, sizeof(text));
    return out + 2 - is_single;
  }
  template <int kCount>
  static char* WriteRest(char* out, uint64_t fraction) {
    for (int i = 0; i < kCount; ++i) {
      fraction = uint64_t{static_cast<uint32_t>(fraction)} * 100;
      out = WritePair(out, fraction >> 32);
    }
    return out;
  }
};

inline char* DecimalDigits::WriteLong(char* out, uint64_t number) {
  constexpr uint32_t kEightDigits = 100'000'000;
  const uint64_t fraction = Fraction8(static_cast<uint32_t>(number % kEightDigits));
  out = Write(out, number / kEightDigits);
  return WriteRest<3>(WritePair(out, fraction >> 32), fraction);
}

static_assert(std::endian::native == std::endian::little);  // WriteFirst

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_DECIMAL_DIGITS_H_
