#include "api/guarded_call.h"

#include <string.h>

#include <string_view>

#include "geckoprof/base/utf8_cut.h"
#include "runtime/memory_guard.h"

namespace geckoprof {

int GuardedCall::Answer(const ProfilerOutcome& outcome, char* detail, size_t detail_bytes) {
  if (detail != nullptr && detail_bytes > 0) {
    std::string_view text;
    if (!outcome) text = outcome.detail.empty() ? std::string_view(ToText(outcome.status)) : outcome.detail;
    text = Utf8Cut(text, detail_bytes - 1);
    if (!text.empty()) memcpy(detail, text.data(), text.size());
    detail[text.size()] = '\0';
  }
  return static_cast<int>(outcome.status);
}

bool GuardedCall::Erased(void (*run)(void*), void* argument) { return RunUnlessOutOfMemory(run, argument); }

}  // namespace geckoprof
