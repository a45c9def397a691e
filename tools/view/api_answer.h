#ifndef GECKOPROF_TOOLS_VIEW_API_ANSWER_H_
#define GECKOPROF_TOOLS_VIEW_API_ANSWER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"
#include "tools/symbols/symbolizer.h"
#include "tools/view/profile_libraries.h"

namespace geckoprof {

// ApiAnswer: the JSON with which the viewer's symbol API answers a request.
struct ApiAnswer {
  int status = 200;
  std::string body;
};

// Returns {"error": what}. The viewer shows it where the source or the assembly would be.
ApiAnswer ApiError(std::string_view what, int status = 200);
// Returns the JSON value that `write` writes.
ApiAnswer ApiResult(const std::function<void(JsonWriter& writer)>& write);

// Reads and writes numbers in the form of the API, such as "0x1f". A text may lack the "0x". The result is empty for
// any other text.
std::optional<uint64_t> ParseApiNumber(std::string_view text);
std::string ApiNumber(uint64_t number);

// Answers /symbolicate/v5: functions, lines and inlined functions for stacks of addresses, in libraries of the profile.
//
//   jobs[].memoryMap [[debugName, breakpadId]]        results[].found_modules {"debugName/breakpadId": true}
//   jobs[].stacks    [[[number in it, address]]]      results[].stacks [[{frame, module, function, ..., inlines}]]
//
// Inlined functions go from the innermost outwards. Unknown members are left out, because the viewer takes no null.
ApiAnswer AnswerSymbolicate(JsonView request, const ProfileLibraries& libraries, Symbolizer& symbolizer);

// Answers /asm/v1 with the instructions of a function in a library of the profile. All addresses count from the
// library's first mapped byte. A jump or call out of the function is followed by the name of its target.
ApiAnswer AnswerAsm(JsonView request, const ProfileLibraries& libraries, Symbolizer& symbolizer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_API_ANSWER_H_
