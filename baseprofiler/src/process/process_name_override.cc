#include "process/process_name_override.h"

#include <string.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/utf8.h"
#include "geckoprof/entries/entry_builder.h"

namespace geckoprof {
namespace {

constinit ProcessNameOverride g_name;

}  // namespace

ProcessNameOverride& ProcessNameOverride::Get() { return g_name; }

void ProcessNameOverride::Set(const char* name) {
  const size_t bytes = name != nullptr ? Utf8Cut({name, strnlen(name, kMaxBytes + 1)}, kMaxBytes).size() : 0;
  const TableLock::Holder holder(lock_);
  if (bytes > 0) memcpy(name_, name, bytes);
  memset(name_ + bytes, 0, sizeof(name_) - bytes);
  was_set_ = was_set_ || bytes > 0;
  is_written_ = false;
  if (was_set_) NotePersistent(PersistentState::kProcessName);
}

void ProcessNameOverride::WriteTo(const Segment& segment) {
  const TableLock::Holder holder(lock_);
  if (segment.serial() < serial_) return;  // a newer recording has begun
  if (!was_set_ || (is_written_ && serial_ == segment.serial())) return;
  is_written_ = true;
  if (serial_ != segment.serial()) {
    stream_ = StreamWriter(&segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    serial_ = segment.serial();
  }
  uint8_t bytes[kMaxBytes + 64];
  const int64_t now_ns = MonotonicNs();
  EntryBuilder entry(EntryType::kProcessName, bytes);
  (void)stream_.Append(entry.U(static_cast<uint64_t>(now_ns)).T(name_).bytes(), now_ns);
}

void ProcessNameOverride::AfterForkInChild() {
  lock_.ResetInForkedChild();
  serial_ = 0;
}

}  // namespace geckoprof
