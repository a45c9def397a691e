// Small pieces of text in the form that the Firefox Profiler expects. The raw and the processed format share them.
#ifndef GECKOPROF_GECKO_JSON_GECKO_TEXT_H_
#define GECKOPROF_GECKO_JSON_GECKO_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {

// Returns the text of a label or reason frame in a form that the viewer takes for nothing else. If a text starts like
// an address, a space precedes it. If it ends like a place in a script ("step:64", "run (a.js:3)") or in a library ("f
// (in libm)"), a space follows it.
std::string GeckoLabelText(std::string_view text);

// "0x7f7971cf1c15"
std::string GeckoAddressText(uint64_t avma);

// Returns the first 16 bytes of the build id as a GUID in upper-case hex, and the age 0. The result for an empty build
// id is empty.
std::string BreakpadId(std::string_view build_id);

// Returns the whole build id in lower-case hex.
std::string CodeId(std::string_view build_id);

// Returns "linux-vdso.so.1", the loader's name, for "[vdso]". Other paths are unchanged.
std::string_view LibraryPathText(std::string_view recorded_path);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_TEXT_H_
