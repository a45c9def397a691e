#ifndef GECKOPROF_TOOLS_COMPARE_DIFFERENTIAL_STACKS_H_
#define GECKOPROF_TOOLS_COMPARE_DIFFERENTIAL_STACKS_H_

#include <string>
#include <vector>

#include "tools/compare/run_figures.h"

namespace geckoprof {

// Call paths with the samples before and after, as difffolded.pl writes them and flamegraph.pl draws them: a line each,
// in order of the path. Sums over the runs of a side, rounded; runs were made with their stacks.
//
//   main;parse;read 120 98
std::string WriteDifferentialStacks(const std::vector<RunFigures>& before, const std::vector<RunFigures>& after);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_COMPARE_DIFFERENTIAL_STACKS_H_
