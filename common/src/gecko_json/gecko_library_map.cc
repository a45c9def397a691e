#include "geckoprof/gecko_json/gecko_library_map.h"

#include <algorithm>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {
namespace {

constexpr uint64_t kLargestExactInteger = uint64_t{1} << 53;
constexpr uint64_t kMovedAlignment = uint64_t{1} << 20;  // so that moved addresses keep their low digits

bool SameMapping(const LibraryRow& a, const LibraryRow& b) {
  return a.start_avma == b.start_avma && a.end_avma == b.end_avma && a.bias == b.bias && a.build_id == b.build_id &&
         a.path == b.path;
}

}  // namespace

GeckoLibraryMap::GeckoLibraryMap(const std::vector<LibraryRow>& libraries)
    : libraries_(libraries), shift_(libraries.size(), 0) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < libraries.size(); ++i) {
    if (libraries[i].start_avma < libraries[i].end_avma && libraries[i].end_avma <= kLargestExactInteger) {
      order.push_back(static_cast<int32_t>(i));
    }
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const LibraryRow& x = libraries[static_cast<size_t>(a)];
    const LibraryRow& y = libraries[static_cast<size_t>(b)];
    if (x.start_avma != y.start_avma) return x.start_avma < y.start_avma;
    if (x.mapped_ns != y.mapped_ns) return x.mapped_ns < y.mapped_ns;
    return a < b;
  });
  std::vector<int32_t> to_move;
  for (int32_t i : order) {
    const LibraryRow& library = libraries[static_cast<size_t>(i)];
    if (rows_.empty() || library.start_avma >= rows_.back().end) {
      rows_.push_back({i, library.start_avma, library.end_avma});
    } else if (!SameMapping(library, libraries[static_cast<size_t>(rows_.back().library)])) {
      to_move.push_back(i);
    }
  }
  uint64_t free = rows_.empty() ? 0 : rows_.back().end;
  // Equal mappings side by side, so that each kind is moved once.
  std::sort(to_move.begin(), to_move.end(), [&](int32_t a, int32_t b) {
    const LibraryRow& x = libraries[static_cast<size_t>(a)];
    const LibraryRow& y = libraries[static_cast<size_t>(b)];
    if (x.start_avma != y.start_avma) return x.start_avma < y.start_avma;
    if (x.end_avma != y.end_avma) return x.end_avma < y.end_avma;
    if (x.build_id != y.build_id) return x.build_id < y.build_id;
    if (x.path != y.path) return x.path < y.path;
    if (x.bias != y.bias) return x.bias < y.bias;
    return a < b;
  });
  for (size_t k = 0; k < to_move.size(); ++k) {
    const auto i = static_cast<size_t>(to_move[k]);
    const LibraryRow& library = libraries[i];
    if (k > 0 && SameMapping(library, libraries[static_cast<size_t>(to_move[k - 1])])) {
      shift_[i] = shift_[static_cast<size_t>(to_move[k - 1])];
      continue;
    }
    const uint64_t start = RoundUpTo(free, kMovedAlignment) + library.start_avma % kMovedAlignment;
    const uint64_t end = start + (library.end_avma - library.start_avma);
    if (end > kLargestExactInteger) continue;  // its frames stay where they are, without a library row
    shift_[i] = start - library.start_avma;
    rows_.push_back({to_move[k], start, end});
    free = end;
  }
}

uint64_t GeckoLibraryMap::ToWrittenAddress(uint64_t avma, int32_t library) const {
  if (library < 0 || static_cast<size_t>(library) >= libraries_.size()) return avma;
  const LibraryRow& row = libraries_[static_cast<size_t>(library)];
  // A return address may lie just behind the last byte.
  if (avma < row.start_avma || avma > row.end_avma) return avma;
  return avma + shift_[static_cast<size_t>(library)];
}

}  // namespace geckoprof
