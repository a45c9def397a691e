#ifndef GECKOPROF_TOOLS_CHECK_LIBRARY_RULES_H_
#define GECKOPROF_TOOLS_CHECK_LIBRARY_RULES_H_

#include "tools/check/value_checker.h"

namespace geckoprof {

// `libs` of a Gecko profile: names and ids of each, addresses that are sorted and disjoint, as the viewer's binary
// search needs.
void CheckGeckoLibraries(JsonView libs, const JsonPath& path, ValueChecker* checker);
// `libs` of a processed profile, which have no addresses: each is there once.
void CheckProcessedLibraries(JsonView libs, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_LIBRARY_RULES_H_
