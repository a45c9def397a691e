#ifndef GECKOPROF_GECKOPROFILER_API_C_ANSWER_H_
#define GECKOPROF_GECKOPROFILER_API_C_ANSWER_H_

#include <cstddef>

#include "runtime/outcome.h"

namespace geckoprof {

// The answer of a C function. `detail`, of `detail_bytes`, takes the outcome's text, cut to what fits and terminated. A
// failure without a text has its status's. Null: the caller wants no text. Needs no memory.
int AnswerC(const Outcome& outcome, char* detail = nullptr, size_t detail_bytes = 0);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_API_C_ANSWER_H_
