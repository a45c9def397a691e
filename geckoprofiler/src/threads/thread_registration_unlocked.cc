#include "geckoprofiler/thread_registration_unlocked.h"

#include "geckoprof/base/clock.h"

namespace geckoprof {

int64_t ThreadRegistrationUnlockedConstReader::CpuTimeNs() const { return ThreadCpuNs(info_.ThreadId()); }

}  // namespace geckoprof
