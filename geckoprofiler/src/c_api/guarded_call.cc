#include "c_api/guarded_call.h"

#include <string.h>

#include <algorithm>
#include <string_view>

#include "capture/memory_guard.h"

namespace geckoprof {

int GuardedCall::Answer(const ProfilerOutcome& outcome, char* detail, size_t detail_bytes) {
  if (detail != nullptr && detail_bytes > 0) {
    std::string_view text;
    if (!outcome) text = outcome.detail.empty() ? std::string_view(ToText(outcome.status)) : outcome.detail;
    size_t size = std::min(text.size(), detail_bytes - 1);
    if (size < text.size()) {  // between characters
      while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    }
    if (size > 0) memcpy(detail, text.data(), size);
    detail[size] = '\0';
  }
  return static_cast<int>(outcome.status);
}

bool GuardedCall::Erased(void (*run)(void*), void* argument) { return RunUnlessOutOfMemory(run, argument); }

}  // namespace geckoprof
