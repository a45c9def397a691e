#ifndef GECKOPROF_BASE_MAIN_THREAD_NAME_H_
#define GECKOPROF_BASE_MAIN_THREAD_NAME_H_

#include <string_view>

namespace geckoprof {

// What the main thread is called in profiles: by this name the Firefox Profiler knows a process's main thread. The
// kernel's name of it, which ps(1) shows, stays the program's. Ends with a zero.
inline constexpr std::string_view kMainThreadName = "GeckoMain";

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_MAIN_THREAD_NAME_H_
