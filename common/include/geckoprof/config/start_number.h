// Numbers in options and environment variables, without libc: no locale, no errno, usable before libc's constructors.
//
// All parsers take the whole text: no blanks, no sign, no exponent, nothing behind the number. Values too large for the
// result saturate, so that "far out of range" is still a number that a caller can clamp. Empty means: not a number.
// Threads and context: any.
#ifndef GECKOPROF_CONFIG_START_NUMBER_H_
#define GECKOPROF_CONFIG_START_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace geckoprof {

// "123". Leading zeros are allowed.
std::optional<uint64_t> ParseDecimal(std::string_view text);

// "123" or "0x7B".
std::optional<uint64_t> ParseDecimalOrHex(std::string_view text);

// "1", "1.", ".5", "0.05" times 10^decimals: ("0.05", 6) is 50'000. Digits past the last decimal are cut off.
// decimals <= 18.
std::optional<uint64_t> ParseFixedPoint(std::string_view text, unsigned decimals);

// Digits with an optional KB, KiB, MB, MiB, GB or GiB (powers of 1000 and 1024) directly behind them, in bytes.
// A number without unit counts things of `plain_unit_bytes` bytes; 0 makes the unit compulsory.
std::optional<uint64_t> ParseByteSize(std::string_view text, uint64_t plain_unit_bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_NUMBER_H_
