// Whether this build has a sanitizer, whose shadow memory alone is larger than any limit of address space.
#ifndef GECKOPROF_TESTS_SUPPORT_SANITIZED_H_
#define GECKOPROF_TESTS_SUPPORT_SANITIZED_H_

namespace geckoprof {

#if defined(GECKOPROF_SANITIZED)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_SANITIZED_H_
