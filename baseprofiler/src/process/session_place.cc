#include "process/session_place.h"

#include "geckoprof/segment/session_format.h"
#include "process/session_files.h"

namespace geckoprof {

void SessionPlace::Choose(const char* given) {
  given_ = given;
  is_own_ = given[0] == '\0' && UserSessionDirectory(own_);
}

bool SessionPlace::IsFull() const { return !is_own_ && IsSessionFull(given_); }

SegmentLayout SessionPlace::Layout(uint64_t capacity_bytes) const {
  return {capacity_bytes, directory()[0] != '\0' ? directory() : nullptr, is_own_};
}

void SessionPlace::NoteFailure(ProcessId pid, Segment::CreateResult result) const {
  if (!is_own_) LeaveNote(given_, pid, result == Segment::CreateResult::kNoSpace ? kNoteNoSpace : kNoteNoMemory);
}

void SessionPlace::Remove(const Segment& segment) const {
  if (is_own_) RemoveSession(segment.path(), own_);
}

}  // namespace geckoprof
