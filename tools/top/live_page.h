#ifndef GECKOPROF_TOOLS_TOP_LIVE_PAGE_H_
#define GECKOPROF_TOOLS_TOP_LIVE_PAGE_H_

#include <cstddef>
#include <map>
#include <string>

#include "tools/text/terminal_text.h"
#include "tools/top/live_figures.h"

namespace geckoprof {

// One page of `geckoprof top`: a line of totals, the busiest threads, the functions with the most samples. Every string
// of the program is cleaned.
struct LivePage {
  std::string title;  // what is looked at
  size_t lines = 0;   // at most; 0: all
  TerminalStyle style;
  // Losses of the page before; what has been lost since then is shown beside what has been lost in all. Null: none.
  const std::map<std::string, uint64_t>* losses_before = nullptr;

  // Each line has its end.
  std::string Text(const LiveFigures& figures) const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TOP_LIVE_PAGE_H_
