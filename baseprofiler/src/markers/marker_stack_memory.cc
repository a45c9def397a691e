#include "markers/marker_stack_memory.h"

#include <string.h>

#include <new>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {

MarkerStackMemory* MarkerStackMemory::New() {
  PageMemory memory = PageMemory::Map(sizeof(MarkerStackMemory));
  return memory ? new (memory.Release()) MarkerStackMemory() : nullptr;
}

void MarkerStackMemory::Note(std::span<const UnwoundFrame> frames, std::span<const uint8_t> written) {
  Forget();
  if (written.size() > sizeof(written_)) return;
  for (size_t i = 0; i < frames.size(); ++i) addresses_[i] = frames[i].address;
  memcpy(written_, written.data(), written.size());
  byte_count_ = written.size();
  frame_count_ = frames.size();
}

}  // namespace geckoprof
