// The output of a command for its user.
#ifndef GECKOPROF_TOOLS_SUPPORT_STANDARD_OUTPUT_H_
#define GECKOPROF_TOOLS_SUPPORT_STANDARD_OUTPUT_H_

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

  // Shows "text  42 %", or no share for a negative one. It redraws at most every 100 ms, or 40 ms for a new text.
  void Show(std::string_view text, double share = -1);
  void Clear();

 private:
  const int fd_;
  const bool is_terminal_;
  bool shown_ = false;
  size_t last_text_hash_ = 0;
  int64_t last_drawn_ns_ = 0;
};

// Standard output, for commands that print what they found: where nobody reads it any more (`| head`) that is no error
// to tell anybody of, whether or not the process was started with SIGPIPE ignored.
//
// Appends to stdout. Nothing is reported before FinishStandardOutput.
void PrintStandardOutput(std::string_view text);

// Writes what is left. True: everything was taken. False: it was not (a full disk), errno says why. Does not return
// where the reader is gone: the process ends by SIGPIPE, as other commands do.
[[nodiscard]] bool FinishStandardOutput();

// All that a command prints, at once. Returns its exit status: 1, with a line on stderr that begins with the command's
// name, where it was not taken.
int PrintAndFinish(const char* command, std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_STANDARD_OUTPUT_H_
