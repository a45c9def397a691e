#ifndef GECKOPROF_TOOLS_CHECK_THREAD_ID_RULES_H_
#define GECKOPROF_TOOLS_CHECK_THREAD_ID_RULES_H_

#include "tools/check/value_checker.h"

namespace geckoprof {

// Threads of one process (the same pid) that live at the same time have different tids. The system gives a tid again
// when its thread has ended. A thread without unregisterTime lives to the end.
void CheckThreadIds(JsonView threads, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_THREAD_ID_RULES_H_
