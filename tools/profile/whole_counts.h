#ifndef GECKOPROF_TOOLS_PROFILE_WHOLE_COUNTS_H_
#define GECKOPROF_TOOLS_PROFILE_WHOLE_COUNTS_H_

#include <cstdint>

namespace geckoprof {

// WholeCounts: weights, which may have fractions, as the whole numbers that a format wants: the sum of all that were
// given is that of the weights, rounded. Each is less than 1 from its weight.
class WholeCounts {
 public:
  // The weight is not negative. Sums stay below 2^63.
  int64_t Next(double weight);

 private:
  long double total_ = 0;
  int64_t given_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_WHOLE_COUNTS_H_
