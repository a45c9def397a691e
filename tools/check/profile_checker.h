#ifndef GECKOPROF_TOOLS_CHECK_PROFILE_CHECKER_H_
#define GECKOPROF_TOOLS_CHECK_PROFILE_CHECKER_H_

#include <cstddef>
#include <string>

#include "tools/check/value_checker.h"
#include "tools/json/json_document.h"

namespace geckoprof {

// A file's format and size in words: "gecko 34, 12 threads in 3 processes".
struct ProfileVerdict {
  std::string description;
  FaultList faults;
};

// Checks a profile against every rule of its format; keeps the text of `limit` faults and of as many warnings.
ProfileVerdict CheckProfile(const JsonDocument& document, size_t limit);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_PROFILE_CHECKER_H_
