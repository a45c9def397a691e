// Quantities with units, as options have them.
#ifndef GECKOPROF_TOOLS_OPTIONS_QUANTITY_H_
#define GECKOPROF_TOOLS_OPTIONS_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace geckoprof {

// Reads a time such as "500ms", "1.5s", "5min" or "1h" and returns it in ns. The unit is required. The result is empty
// if the text is no such time. A time that is too large saturates.
std::optional<int64_t> ParseTimeNs(std::string_view text);

// Reads a size such as "1048576", "1.5MiB" or "2GB" and returns it in bytes, likewise.
std::optional<uint64_t> ParseSizeBytes(std::string_view text);

// Reads a share such as "90%" or "2.5%" and returns its number, likewise.
std::optional<double> ParsePercent(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_OPTIONS_QUANTITY_H_
