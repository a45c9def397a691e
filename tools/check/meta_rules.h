#ifndef GECKOPROF_TOOLS_CHECK_META_RULES_H_
#define GECKOPROF_TOOLS_CHECK_META_RULES_H_

#include "tools/check/value_checker.h"

namespace geckoprof {

// What both formats say in `meta`: start time, interval, units, times of the recording. Versions, categories and marker
// types are looked at elsewhere.
void CheckMeta(JsonView meta, const JsonPath& path, ValueChecker* checker);

// `pausedRanges` of a process or thread: in order, each with start <= end; an open one has null.
void CheckPausedRanges(JsonView ranges, const JsonPath& path, ValueChecker* checker);

// registerTime and unregisterTime of a thread.
void CheckThreadLife(JsonView thread, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_META_RULES_H_
