// Numbers in options and environment variables. The parsers use no libc, no locale and no errno, so they work before
// the constructors of libc.
//
// Every parser reads the whole text. It accepts no blanks, no sign, no exponent, and nothing after the number. A value
// that is too large saturates, so that the caller can clamp it. The result is empty if the text is not a number.
//
// Threads: any.
// Context: any.
#ifndef GECKOPROF_CONFIG_START_NUMBER_H_
#define GECKOPROF_CONFIG_START_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace geckoprof {

// Reads "123". Leading zeros are allowed.
std::optional<uint64_t> ParseDecimal(std::string_view text);

// Reads "123" or "0x7B".
std::optional<uint64_t> ParseDecimalOrHex(std::string_view text);

// Reads "1", "1.", ".5" or "0.05" and multiplies it by 10^decimals. For example, ("0.05", 6) gives 50'000. Digits after
// the last decimal are dropped. `decimals` is at most 18.
std::optional<uint64_t> ParseFixedPoint(std::string_view text, unsigned decimals);

// Reads "2%" or "0.5%", in hundredths of a per cent. Further decimals are dropped.
std::optional<uint64_t> ParsePercentParts(std::string_view text);

// Reads a number of bytes. The digits may be followed directly by KB, KiB, MB, MiB, GB or GiB (powers of 1000 and
// 1024). A number without a unit counts objects of `plain_unit_bytes` bytes. If that is 0, the unit is required.
std::optional<uint64_t> ParseByteSize(std::string_view text, uint64_t plain_unit_bytes);

// Returns true unless the text is empty, "0", "N" or "n".
inline bool MeansYes(std::string_view text) { return !text.empty() && text != "0" && text != "N" && text != "n"; }

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_NUMBER_H_
