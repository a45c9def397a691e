#include "tools/profile/gecko_location.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/strings/ascii.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::optional<uint64_t> ParseAddress(std::string_view location) {
  if (!location.starts_with("0x")) return std::nullopt;
  uint64_t address = 0;
  const char* const end = location.data() + location.size();
  const auto [stopped, error] = std::from_chars(location.data() + 2, end, address, 16);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return address;
}

GeckoLocation OfAddress(uint64_t avma, std::string_view location, const std::vector<GeckoLibrary>& libraries) {
  auto after =
      std::upper_bound(libraries.begin(), libraries.end(), avma,
                       [](uint64_t address, const GeckoLibrary& library) { return address < library.start_avma; });
  if (after == libraries.begin()) return {std::string(location), "", -1, -1};
  const GeckoLibrary& library = *--after;
  if (avma >= library.end_avma) return {std::string(location), "", -1, -1};
  const uint64_t relative = avma - library.start_avma + library.offset;
  return {Concat(library.name, "+0x", HexText(relative)), library.name, static_cast<int64_t>(relative & INT64_MAX),
          library.row};
}

// Takes "[7]" off the end.
std::string_view WithoutSource(std::string_view location) {
  if (!location.ends_with("]")) return location;
  const size_t open = location.rfind('[');
  if (open == std::string_view::npos || open == 0 || open + 2 >= location.size()) return location;
  const std::string_view digits = location.substr(open + 1, location.size() - open - 2);
  const bool number = std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return absl::ascii_isdigit(c); });
  return number ? location.substr(0, open) : location;
}

}  // namespace

GeckoLocation ParseGeckoLocation(std::string_view location, const std::vector<GeckoLibrary>& libraries) {
  if (const std::optional<uint64_t> address = ParseAddress(location)) return OfAddress(*address, location, libraries);
  constexpr std::string_view kIn = " (in ";
  const size_t in = location.rfind(kIn);
  if (in != std::string_view::npos) {
    const size_t begin = in + kIn.size();
    const size_t close = location.find(')', begin);
    // What may follow: nothing, " + 123" or " (a:b)".
    if (close != std::string_view::npos && close > begin &&
        (close + 1 == location.size() || location.substr(close + 1).starts_with(" + ") ||
         location.substr(close + 1).starts_with(" ("))) {
      return {std::string(location.substr(0, in)), std::string(location.substr(begin, close - begin)), -1, -1};
    }
  }
  return {std::string(WithoutSource(location)), "", -1, -1};
}

}  // namespace geckoprof
