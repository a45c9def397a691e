#ifndef GECKOPROF_TOOLS_COMPARE_BUDGET_H_
#define GECKOPROF_TOOLS_COMPARE_BUDGET_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/compare/comparison.h"

namespace geckoprof {

// Budget: a limit that a comparison may not exceed.
//
//   BUDGET = METRIC [":" NAME] (">" | "<") [SIGN] NUMBER [UNIT]         self:foo>+5%
//   METRIC = "self" | "total"                       share of the samples, of a function
//            "self-cpu" | "total-cpu"               CPU time, of a function
//            "marker-count" | "marker-total" | "marker-median"          of a marker
//            "cpu"                                  CPU time of the run; without NAME
//   SIGN   = "+" | "-"                              the change from before to after; without: the value after
//   UNIT   = "%"                                    with SIGN: of the value before; without: of a share
//            "pp"                                   per cent points: change of a share
//            "us" | "ms" | "s"                      of a time
//            none                                   of a count
//
// NAME is the whole name; a C++ function may be named without its parameters. One with "*" at its end that no run has
// is how names begin ("operator*" is the operator where there is one). All that it names are added up. The limit stands
// behind the last ">" or "<" that one follows: names have them, too.
//
// Where several runs a side allow a p of at most `alpha`, a budget that compares (SIGN) is exceeded only if the change
// is as significant as that; with fewer runs, and without SIGN, the means alone decide.
class Budget {
 public:
  enum class Metric : uint8_t {
    kSelf,
    kTotal,
    kSelfCpu,
    kTotalCpu,
    kMarkerCount,
    kMarkerTotal,
    kMarkerMedian,
    kCpu,
  };

  struct Result {
    // Whether there is anything to hold the limit against: without samples nothing has a share, without CPU times no
    // CPU time is known, and a budget that nobody measured was not kept.
    bool is_measured = false;
    Change change;          // if it is measured
    bool is_known = false;  // a run has what is named
    bool is_exceeded = false;
  };

  static absl::StatusOr<Budget> Parse(std::string_view text);

  Result Check(const Comparison& comparison, double alpha) const;

  const std::string& text() const { return text_; }
  Metric metric() const { return metric_; }

 private:
  bool Matches(std::string_view name, bool as_prefix) const;
  bool IsMeasured(const Comparison& comparison) const;
  Change Measure(const Comparison& comparison, bool as_prefix, bool* is_known) const;
  bool IsBeyond(const Change& change) const;

  std::string text_, name_;
  Metric metric_ = Metric::kSelf;
  bool may_be_prefix_ = false;  // ends in "*"
  bool is_upper_ = true;        // ">"
  bool is_change_ = false;      // has a sign
  bool is_relative_ = false;    // of the value before
  double limit_ = 0;            // shares 0 to 1, times in ms
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_BUDGET_H_
