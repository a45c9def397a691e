#ifndef GECKOPROF_TOOLS_VIEW_ASM_ANSWER_H_
#define GECKOPROF_TOOLS_VIEW_ASM_ANSWER_H_

#include "tools/json/json_document.h"
#include "tools/symbols/symbolizer.h"
#include "tools/view/api_answer.h"
#include "tools/view/profile_libraries.h"

namespace geckoprof {

// Answers /asm/v1: the instructions of a function in a library of the profile. Addresses count from the library's first
// mapped byte, also those in the text; a jump or call out of the function is followed by the name of where it goes.
ApiAnswer AnswerAsm(JsonView request, const ProfileLibraries& libraries, Symbolizer& symbolizer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_ASM_ANSWER_H_
