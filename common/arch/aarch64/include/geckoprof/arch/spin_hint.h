// What a spinning loop tells the processor.
#ifndef GECKOPROF_ARCH_SPIN_HINT_H_
#define GECKOPROF_ARCH_SPIN_HINT_H_

namespace geckoprof {

inline void SpinHint() { asm volatile("yield" ::: "memory"); }

}  // namespace geckoprof

#endif  // GECKOPROF_ARCH_SPIN_HINT_H_
