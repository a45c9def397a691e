#ifndef GECKOPROF_TOOLS_VIEW_SYMBOLICATE_ANSWER_H_
#define GECKOPROF_TOOLS_VIEW_SYMBOLICATE_ANSWER_H_

#include "tools/json/json_document.h"
#include "tools/symbols/symbolizer.h"
#include "tools/view/api_answer.h"
#include "tools/view/profile_libraries.h"

namespace geckoprof {

// Answers /symbolicate/v5: functions, lines and inlined functions for stacks of addresses, in libraries of the profile.
//
//   jobs[].memoryMap [[debugName, breakpadId]]        results[].found_modules {"debugName/breakpadId": true}
//   jobs[].stacks    [[[number in it, address]]]      results[].stacks [[{frame, module, function, ..., inlines}]]
//
// Inlined functions go from the innermost outwards. What is not known is left out: the viewer takes no null.
ApiAnswer AnswerSymbolicate(JsonView request, const ProfileLibraries& libraries, Symbolizer& symbolizer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_SYMBOLICATE_ANSWER_H_
