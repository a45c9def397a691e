#ifndef GECKOPROF_STREAMING_COUNTER_COLOR_H_
#define GECKOPROF_STREAMING_COUNTER_COLOR_H_

#include <string_view>

namespace geckoprof {

// Whether the viewer has this colour for counters.
constexpr bool IsCounterColor(std::string_view color) {
  for (const std::string_view known :
       {"blue", "green", "grey", "ink", "magenta", "orange", "purple", "red", "teal", "yellow"}) {
    if (known == color) return true;
  }
  return false;
}

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_COUNTER_COLOR_H_
