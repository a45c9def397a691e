#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_LABELS_TWENTY_LABELS_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_LABELS_TWENTY_LABELS_H_

#include <string>

namespace geckoprof {

// What is open on the calling thread within twenty labels "many" of one function, which is compiled without
// optimisation: there each takes a round number of bytes of code.
std::string TextsOfTwenty();

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_LABELS_TWENTY_LABELS_H_
