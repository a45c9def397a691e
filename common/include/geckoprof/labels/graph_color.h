#ifndef GECKOPROF_LABELS_GRAPH_COLOR_H_
#define GECKOPROF_LABELS_GRAPH_COLOR_H_

#include <string_view>

namespace geckoprof {

// Returns true if the Firefox Profiler has the colour for counters and for the graphs of markers.
constexpr bool IsGraphColor(std::string_view color) {
  constexpr std::string_view kColors[] = {"blue",   "green",  "grey", "ink",  "magenta",
                                          "orange", "purple", "red",  "teal", "yellow"};
  for (const std::string_view known : kColors) {
    if (known == color) return true;
  }
  return false;
}

}  // namespace geckoprof

#endif  // GECKOPROF_LABELS_GRAPH_COLOR_H_
