#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_WAITS_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_WAITS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/wait_sums.h"

namespace geckoprof {

// PageWaits are the waits of threads, as a page has them. The page adds up those of the threads and the time that are
// looked at. If there are more than `most_entries`, time is cut into slots of equal length. The waits of a thread that
// belong to one row and begin in one slot become one entry, so sums stay as they were.
struct PageWaits {
  struct Entry {
    double begin_ms = 0;
    int64_t ns = 0;
    size_t row = 0;     // of `rows`
    int64_t waits = 0;  // 0: unknown
    int64_t longest_ns = 0;
  };

  PageWaits(const ProfileModel& model, size_t most_entries);

  std::vector<WaitSums::Row> rows;
  std::vector<std::vector<Entry>> threads;  // by row of model.threads, in order of time
  double slot_ms = 0;                       // 0: nothing was put together
  size_t waits = 0;                         // that there were
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_WAITS_H_
