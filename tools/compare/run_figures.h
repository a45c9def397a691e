#ifndef GECKOPROF_TOOLS_COMPARE_RUN_FIGURES_H_
#define GECKOPROF_TOOLS_COMPARE_RUN_FIGURES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// RunFigures: what is compared of one run: plain sums by name, so that runs with different tables are comparable. A
// function is known by its name and its library's; the address that stands for a name where there is no symbol is one,
// too, though another build of the library has it elsewhere.
struct RunFigures {
  struct Function {
    double self_share = 0, total_share = 0;  // of all samples with a stack, 0 to 1
    double self_cpu_ms = 0, total_cpu_ms = 0;
  };
  struct Marker {
    double count = 0, total_ms = 0;
    double median_ms = 0;  // of those with a duration
  };
  using FunctionKey = std::pair<std::string, std::string>;  // name, library

  double samples = 0, cpu_ms = 0;
  double bytes = 0;  // in place of samples, where a run has nothing else (MainMeasure)
  bool has_cpu_times = false;
  absl::flat_hash_map<FunctionKey, Function> functions;
  absl::flat_hash_map<std::string, Marker> markers;

  static RunFigures Of(const ProfileModel& model, bool with_idle);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_RUN_FIGURES_H_
