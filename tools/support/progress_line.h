#ifndef GECKOPROF_TOOLS_SUPPORT_PROGRESS_LINE_H_
#define GECKOPROF_TOOLS_SUPPORT_PROGRESS_LINE_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

// ProgressLine: one line on a terminal that says what is being done, redrawn in place and gone at the end. On anything
// that is not a terminal it does nothing. Threads: one at a time.
class ProgressLine {
 public:
  explicit ProgressLine(int fd);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // "text  42 %"; a negative share shows none. Redrawn at most every 100 ms, or 40 where the text changes.
  void Show(std::string_view text, double share = -1);
  void Clear();

 private:
  const int fd_;
  const bool is_terminal_;
  bool shown_ = false;
  size_t last_text_hash_ = 0;
  int64_t last_drawn_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_PROGRESS_LINE_H_
