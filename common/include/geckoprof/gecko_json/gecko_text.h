// Small pieces of text as Firefox Profiler expects them; shared by the raw and the processed format.
#ifndef GECKOPROF_GECKO_JSON_GECKO_TEXT_H_
#define GECKOPROF_GECKO_JSON_GECKO_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {

// The text of a label or reason frame such that the viewer takes it for nothing else: a text that starts like an
// address gets a space before it, one that ends like a script's place ("step:64", "run (a.js:3)") or a library's ("f
// (in libm)") one after it.
std::string GeckoLabelText(std::string_view text);

// "0x7f7971cf1c15"
std::string GeckoAddressText(uint64_t avma);

// The first 16 bytes of the build id as a GUID in upper-case hex, and the age 0. Empty for an empty build id.
std::string BreakpadId(std::string_view build_id);

// The whole build id in lower-case hex.
std::string CodeId(std::string_view build_id);

// "[vdso]" -> "linux-vdso.so.1", as the loader calls it.
std::string_view LibraryPathText(std::string_view recorded_path);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_TEXT_H_
