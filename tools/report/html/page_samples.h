#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_SAMPLES_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/html/page_tree.h"
#include "tools/report/wait_sums.h"

namespace geckoprof {

// PageSamples: what the threads did, as a page has it: by thread and in order of time, the rows in which it ran apart
// from the idle ones (IdleRule). Where there are more than `most_entries`, time is cut into slots of equal length and
// equal call paths of a thread in one slot become one entry, at the slot's middle; sums stay what they were. Paths that
// are all different stay more than that: then the tree has to be smaller.
struct PageSamples {
  struct Entry {
    double time_ms = 0;
    int32_t node = kNoRow;  // of the PageTree
    double weight = 0;
    int64_t cpu_ns = 0;  // since the row before; what is unknown or from before the recording is 0
  };
  struct Thread {
    std::vector<Entry> active, idle;
  };

  PageSamples(const ProfileModel& model, const PageTree& tree, size_t most_entries);

  size_t entry_count() const;

  std::vector<Thread> threads;  // as model.threads
  double slot_ms = 0;           // 0: nothing was put together
  size_t rows = 0;              // that there were
};

// How much each row of model.stacks matters to the samples: the weights of all threads, whatever their sign.
std::vector<double> StackImportance(const ProfileModel& model);

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

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_SAMPLES_H_
