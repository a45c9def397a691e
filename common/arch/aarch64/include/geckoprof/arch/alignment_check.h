// Whether an access to memory that is not aligned faults.
#ifndef GECKOPROF_ARCH_ALIGNMENT_CHECK_H_
#define GECKOPROF_ARCH_ALIGNMENT_CHECK_H_

namespace geckoprof {

// Nothing that a program could change here.
inline void DisableAlignmentCheck() {}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_ALIGNMENT_CHECK_H_
