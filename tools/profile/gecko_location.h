#ifndef GECKOPROF_TOOLS_PROFILE_GECKO_LOCATION_H_
#define GECKOPROF_TOOLS_PROFILE_GECKO_LOCATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// A row of a Gecko profile's `libs`.
struct GeckoLibrary {
  uint64_t start_avma = 0;
  uint64_t end_avma = 0;
  uint64_t offset = 0;  // relative address = avma - (start - offset)
  std::string name;
  int32_t row = -1;  // of the model's libraries, where they are kept
};

// What a frame's location string of the Gecko format means: gecko-profile-format, "location strings".
struct GeckoLocation {
  std::string name;
  std::string library;   // empty: none or unknown
  int64_t address = -1;  // relative, of an address without a symbol; -1: none
  int32_t row = -1;      // GeckoLibrary::row
};

// `libraries` are in order of start_avma.
//
//   "0x7f7971cf1c15"               {"libxul.so+0x1c15", "libxul.so", 0x1c15}  an address without a symbol; alone where
//   no
//                                                                     library has it
//   "Run() (in libdemo.so) + 4"    {"Run()", "libdemo.so"}
//   "tick (file:///a.js:1:2)[7]"   {"tick (file:///a.js:1:2)", ""}    the number of the source is taken off
GeckoLocation ParseGeckoLocation(std::string_view location, const std::vector<GeckoLibrary>& libraries);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_GECKO_LOCATION_H_
