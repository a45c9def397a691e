#include "api/c_answer.h"

#include <string.h>

#include <string_view>

#include "geckoprof/base/utf8.h"

namespace geckoprof {

int AnswerC(const Outcome& outcome, char* detail, size_t detail_bytes) {
  if (detail != nullptr && detail_bytes > 0) {
    std::string_view text = outcome.detail;
    if (!outcome && text.empty()) text = StatusText(outcome.status);
    text = Utf8Cut(text, detail_bytes - 1);
    if (!text.empty()) memcpy(detail, text.data(), text.size());
    detail[text.size()] = '\0';
  }
  return static_cast<int>(outcome.status);
}

}  // namespace geckoprof
