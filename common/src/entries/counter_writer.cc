#include "geckoprof/entries/counter_writer.h"

namespace geckoprof {

void CounterWriter::Begin() {
  whole_ = chunk_serial_ == 0 || samples_.chunk_serial() != chunk_serial_;
  chunk_serial_ = samples_.chunk_serial();
  fits_ = true;
  dropped_ = false;
  used_ = 0;
}

void CounterWriter::Add(uint32_t id, const Value& value, Written& written) {
  const bool changed = value.count != written.count || (value.has_number && value.number != written.number);
  if (!fits_ || (!changed && !(whole_ && written.ever))) return;
  if (used_ == 0) batch_[used_++] = static_cast<uint8_t>(EntryType::kCounterSample);
  // Differences wrap, because a counter may have any value.
  const auto since = [&](int64_t now, int64_t before) {
    return whole_ ? now : static_cast<int64_t>(static_cast<uint64_t>(now) - static_cast<uint64_t>(before));
  };
  uint8_t* out = batch_ + used_;
  out = WriteUleb128(
      uint64_t{id} << 2 | (value.has_number ? kCounterSampleHasNumber : 0) | (whole_ ? kCounterSampleIsWhole : 0), out);
  out = WriteUleb128(ToZigzag(since(value.count, written.count)), out);
  if (value.has_number) out = WriteUleb128(ToZigzag(since(value.number, written.number)), out);
  used_ = static_cast<size_t>(out - batch_);
  written = {value.count, value.number, true};
  if (used_ + kMaxBytesEach > kBatchBytes) Flush();
}

void CounterWriter::Flush() {
  if (used_ == 0 || !fits_ || dropped_) return;
  const SampleWriter::CounterResult result = samples_.AddCounters({batch_, used_}, chunk_serial_);
  used_ = 0;
  fits_ = result != SampleWriter::CounterResult::kOtherChunk;
  dropped_ = result == SampleWriter::CounterResult::kDropped;
}

bool CounterWriter::End() {
  Flush();
  if (!fits_ || dropped_) chunk_serial_ = 0;
  return fits_;
}

}  // namespace geckoprof
