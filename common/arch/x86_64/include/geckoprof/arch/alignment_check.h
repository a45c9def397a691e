// Whether an access to memory that is not aligned faults (Intel SDM, EFLAGS.AC).
#ifndef GECKOPROF_ARCH_ALIGNMENT_CHECK_H_
#define GECKOPROF_ARCH_ALIGNMENT_CHECK_H_

namespace geckoprof {

// The kernel leaves the interrupted code's setting to a signal handler; the end of the handler restores it.
inline void DisableAlignmentCheck() {
  constexpr unsigned long long kAlignmentCheck = 1 << 18;
  const unsigned long long flags = __builtin_ia32_readeflags_u64();
  if ((flags & kAlignmentCheck) != 0) __builtin_ia32_writeeflags_u64(flags & ~kAlignmentCheck);
}

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_ALIGNMENT_CHECK_H_
