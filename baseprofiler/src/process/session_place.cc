#include "process/session_place.h"

#include "geckoprof/segment/session_format.h"
#include "process/session_files.h"

namespace geckoprof {

void SessionPlace::Choose(const char* given) {
  given_ = given;
  next_parent_ = 0;
  is_own_ = false;
  if (given[0] == '\0') ChooseNext();
}

// Chooses the next of the user's own folders, or none.
void SessionPlace::ChooseNext() { is_own_ = UserSessionDirectory(own_, next_parent_); }

bool SessionPlace::IsFull() const { return !is_own_ && IsSessionFull(given_); }

SegmentLayout SessionPlace::Layout(uint64_t capacity_bytes) const {
  return {capacity_bytes, directory()[0] != '\0' ? directory() : nullptr, is_own_};
}

bool SessionPlace::Create(Segment& segment, uint64_t capacity_bytes, ProcessId pid, ProcessId parent) {
  Segment::CreateResult result = segment.Create(Layout(capacity_bytes), pid, parent);
  // A full own folder is given up for the next one. /dev/shm comes first, and then /tmp.
  while (is_own_ && result == Segment::CreateResult::kNoSpace) {
    RemoveSession("", own_);
    ChooseNext();
    result = segment.Create(Layout(capacity_bytes), pid, parent);
  }
  if (result == Segment::CreateResult::kAnonymous && is_given()) {
    segment.header().separations.fetch_or(kHasNoSession, std::memory_order_relaxed);
  }
  const bool is_made = result == Segment::CreateResult::kCreated || result == Segment::CreateResult::kAnonymous;
  if (!is_made) WriteStopNote(given_, pid, result == Segment::CreateResult::kNoSpace ? kNoteNoSpace : kNoteNoMemory);
  return is_made;
}

void SessionPlace::Remove(const Segment& segment) const {
  if (is_own_) RemoveSession(segment.path(), own_);
}

}  // namespace geckoprof
