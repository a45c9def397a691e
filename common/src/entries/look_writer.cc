#include "geckoprof/entries/look_writer.h"

namespace geckoprof {
namespace {

constexpr int64_t Units(int64_t ns) { return (ns + kLookUnitNs / 2) / kLookUnitNs; }

}  // namespace

void LookWriter::Add(const Look& look) {
  if (used_ + kMaxBytesEach > kBatchBytes || look.time_ns - first_ns_ > kLongestNs) Flush();
  uint8_t* out = batch_ + used_;
  if (used_ == 0) {
    first_ns_ = look.time_ns;
    before_ = 0;
    *out++ = static_cast<uint8_t>(EntryType::kLooks);
    out = WriteUleb128(static_cast<uint64_t>(first_ns_), out);
  }
  // Differences of rounded sums do not add up their errors.
  const int64_t at = Units(look.time_ns - first_ns_);
  const int64_t cpu = Units(look.cpu_ns) - Units(cpu_before_ns_);
  for (const int64_t units : {at - before_, Units(look.late_ns), Units(look.upkeep_ns), Units(look.sources_ns),
                              Units(look.threads_ns), cpu}) {
    out = WriteUleb128(units > 0 ? static_cast<uint64_t>(units) : 0, out);
  }
  before_ = at;
  cpu_before_ns_ = look.cpu_ns;
  used_ = static_cast<size_t>(out - batch_);
}

void LookWriter::Flush() {
  if (used_ != 0) samples_.AddLooks({batch_, used_});
  used_ = 0;
}

}  // namespace geckoprof
