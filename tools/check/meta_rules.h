#ifndef GECKOPROF_TOOLS_CHECK_META_RULES_H_
#define GECKOPROF_TOOLS_CHECK_META_RULES_H_

#include "tools/check/value_checker.h"

namespace geckoprof {

// Checks what both formats say in `meta`: start time, interval, units, times of the recording. Versions, categories and
// marker types are checked elsewhere. Of a subprocess the viewer reads the start time alone.
void CheckMeta(JsonView meta, bool is_subprocess, const JsonPath& path, ValueChecker* checker);

// Checks `pausedRanges` of a process or thread. They are in order, and none ends before it begins. An open one has
// null. The viewer shows none of them.
void CheckPausedRanges(JsonView ranges, const JsonPath& path, ValueChecker* checker);

// Checks registerTime and unregisterTime of a thread.
void CheckThreadLife(JsonView thread, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_META_RULES_H_
