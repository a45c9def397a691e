#ifndef GECKOPROF_STREAMING_GRAPH_COLOR_H_
#define GECKOPROF_STREAMING_GRAPH_COLOR_H_

#include <string_view>

namespace geckoprof {

// The colours that the viewer has for counters and for the graphs of markers.
inline constexpr std::string_view kGraphColors[] = {"blue",   "green",  "grey", "ink",  "magenta",
                                                    "orange", "purple", "red",  "teal", "yellow"};

constexpr bool IsGraphColor(std::string_view color) {
  for (const std::string_view known : kGraphColors) {
    if (known == color) return true;
  }
  return false;
}

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_GRAPH_COLOR_H_
