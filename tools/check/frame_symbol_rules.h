#ifndef GECKOPROF_TOOLS_CHECK_FRAME_SYMBOL_RULES_H_
#define GECKOPROF_TOOLS_CHECK_FRAME_SYMBOL_RULES_H_

#include <cstddef>

#include "tools/check/value_checker.h"

namespace geckoprof {

// Checks the first `frames` rows of frameTable against their nativeSymbols. The symbol is of the same library as the
// frame, by its function's resource or by its own column `lib`. The address lies in the symbol if its size is known.
// The viewer's lists do not depend on it, so a difference is a warning. Values out of range are passed over, because
// they are found elsewhere.
void CheckFrameSymbols(JsonView tables, size_t frames, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_FRAME_SYMBOL_RULES_H_
