#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_DATA_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_DATA_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/profile_summary.h"

namespace geckoprof {

struct CounterPoint {
  double time_ms = 0;
  double value = 0;

  bool operator==(const CounterPoint&) const = default;
};

// Returns a counter as a graph, in order of time. A point is the counter's value, which is the sum of its rows so far.
// The first row has what there was before. A point of a rate is what its row added. If there are more than
// `most_points` rows, the time is cut into equal parts. Each part keeps its smallest and its largest value, or, of a
// rate, its sum.
std::vector<CounterPoint> CounterPoints(const ProfileCounter& counter, size_t most_points);

// How much a page may carry, so that a browser opens it at once, whatever the profile's size. What is above is put
// together or left out, and the page says so.
struct PageLimits {
  size_t nodes = 300'000;         // of the call tree
  size_t entries = 3'000'000;     // samples: two columns of small numbers each
  size_t markers = 150'000;       // objects with texts, the most expensive of all
  size_t counter_points = 4'000;  // of a counter: more than a screen has pixels
  size_t waits = 300'000;
  size_t table_rows = 200;  // of each table of `tables`
};

// A page that compares: of its model thread 0 has the samples before, thread 1 those after.
struct PageComparison {
  std::vector<std::string> before_files, after_files;
};

// What the page says of where it comes from.
struct PageOrigin {
  std::string file;
  std::vector<std::string> filters;  // as they were given: "--thread worker"
  bool with_idle = false;            // idle samples count at first
  std::optional<PageComparison> comparison = {};
};

// The data of a page as one JSON object; data_decoder.js is its reader. Tables are objects of columns; times are whole
// µs, each the difference to the one before it in its column; a text is the number of one in "strings".
//
//   meta, filters, notes, sections     what the summary shows
//   strings, categories                [text], [name, colour]
//   functions {name, library, source}  source: number of a text or -1
//   nodes {parent, function, category} parent: how many nodes before this one it is, 0: none
//   waits {cause, lock, holder, node, holderNode}   node + 1, 0: none; what threads waited for
//   processes, threads                 a thread: {..., active {t, n, w, c}, idle {t, n, w}, markers {...},
//                                      waits {t, d, r, c, m}: durations in µs, rows of `waits`}
//   schemas, counters
//   tables                             page_tables.h. A comparison has none
//
// `model` is of ProfileDetail::kFull, `summary` of the same model.
std::string WritePageData(const ProfileModel& model, const ProfileSummary& summary, const PageOrigin& origin,
                          const PageLimits& limits);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_DATA_H_
