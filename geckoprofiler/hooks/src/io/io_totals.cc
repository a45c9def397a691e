#include "io/io_totals.h"

#include <string.h>

#include "geckoprof/base/hash_mix.h"

namespace geckoprof {
namespace {

constexpr std::string_view kCut = "...";

}  // namespace

uint32_t IoTotals::FindOrAdd(IoClass io_class, std::string_view path) {
  if (path.empty()) return RestOf(io_class);
  const uint64_t hash = MixBits(HashText(path) + static_cast<uint64_t>(io_class));
  const std::string_view begin = path.size() > kMostPathBytes ? kCut : std::string_view();
  if (!begin.empty()) path.remove_prefix(path.size() - (kMostPathBytes - kCut.size()));
  uint32_t made = 0;
  for (uint32_t step = 0; step < kIndexSlots; ++step) {
    std::atomic<uint16_t>& slot = index_[(hash + step) % kIndexSlots];
    uint16_t known = slot.load(std::memory_order_acquire);
    if (known == 0 && made == 0) {
      std::atomic<uint32_t>& of_class = rows_of_class_[static_cast<size_t>(io_class)];
      if (of_class.fetch_add(1, std::memory_order_relaxed) >= kMostRowsOfClass ||
          used_rows_.load(std::memory_order_relaxed) >= kRows - kFirstRow) {
        of_class.fetch_sub(1, std::memory_order_relaxed);
        return RestOf(io_class);
      }
      made = kFirstRow + used_rows_.fetch_add(1, std::memory_order_relaxed);
      if (made >= kRows) return RestOf(io_class);
      Row& row = rows_[made];
      row.hash = hash;
      row.io_class = io_class;
      row.path_bytes = static_cast<uint8_t>(begin.size() + path.size());
      if (!begin.empty()) memcpy(row.path, begin.data(), begin.size());
      if (!path.empty()) memcpy(row.path + begin.size(), path.data(), path.size());
    }
    if (known == 0 && slot.compare_exchange_strong(known, static_cast<uint16_t>(made), std::memory_order_acq_rel)) {
      return made;
    }
    const Row& row = rows_[known];  // also if another thread was faster
    if (row.hash == hash && row.io_class == io_class && PathOf(known).ends_with(path)) return known;
  }
  return RestOf(io_class);
}

void IoTotals::Add(uint32_t number, const IoFigures& figures, uint64_t since) {
  Row& row = rows_[number];
  uint64_t none = 0;
  if (row.since.load(std::memory_order_relaxed) == 0) {
    row.since.compare_exchange_strong(none, since, std::memory_order_relaxed);
  }
  if (figures.read_bytes != 0) row.read_bytes.fetch_add(figures.read_bytes, std::memory_order_relaxed);
  if (figures.written_bytes != 0) row.written_bytes.fetch_add(figures.written_bytes, std::memory_order_relaxed);
  row.ns.fetch_add(figures.ns, std::memory_order_relaxed);
  row.calls.fetch_add(figures.calls, std::memory_order_release);
}

uint32_t IoTotals::RowsEnd() const {
  const uint32_t end = kFirstRow + used_rows_.load(std::memory_order_relaxed);
  return end < kRows ? end : kRows;
}

bool IoTotals::Drain(uint32_t number, IoFigures& figures, uint64_t& since) {
  Row& row = rows_[number];
  if (row.calls.load(std::memory_order_relaxed) == 0) return false;
  figures.calls = row.calls.exchange(0, std::memory_order_acquire);
  figures.read_bytes = row.read_bytes.exchange(0, std::memory_order_relaxed);
  figures.written_bytes = row.written_bytes.exchange(0, std::memory_order_relaxed);
  figures.ns = row.ns.exchange(0, std::memory_order_relaxed);
  since = row.since.exchange(0, std::memory_order_relaxed);
  return figures.calls != 0;
}

}  // namespace geckoprof
