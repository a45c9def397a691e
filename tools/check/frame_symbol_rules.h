#ifndef GECKOPROF_TOOLS_CHECK_FRAME_SYMBOL_RULES_H_
#define GECKOPROF_TOOLS_CHECK_FRAME_SYMBOL_RULES_H_

#include <cstddef>

#include "tools/check/value_checker.h"

namespace geckoprof {

// The first `frames` rows of frameTable against their nativeSymbols: the symbol is of the same library as the frame (by
// its function's resource, or by its own column `lib`, where there is one), and the address lies in it, if its size is
// known. Whatever is out of range is passed over: that has been found before.
void CheckFrameSymbols(JsonView tables, size_t frames, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_FRAME_SYMBOL_RULES_H_
