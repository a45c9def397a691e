#ifndef GECKOPROF_BASE_MAIN_THREAD_NAME_H_
#define GECKOPROF_BASE_MAIN_THREAD_NAME_H_

#include <string_view>

namespace geckoprof {

// The main thread's name in profiles. The Firefox Profiler identifies the main thread of a process by this name. The
// kernel's name of the thread, which ps(1) shows, stays unchanged. The data ends with a NUL.
inline constexpr std::string_view kMainThreadName = "GeckoMain";

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_MAIN_THREAD_NAME_H_
