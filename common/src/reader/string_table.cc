#include "geckoprof/reader/string_table.h"

#include <algorithm>

#include "geckoprof/segment/leb128.h"

namespace geckoprof {

void StringTable::push_back(std::string_view text) {
  const size_t most_bytes = kMaxLeb128Bytes + text.size() + kUnitBytes;
  const auto end_unit = [](const std::vector<char>& block) { return (block.size() + kUnitBytes - 1) / kUnitBytes; };
  // After a text that is longer than a block, the rest of its block has no place numbers.
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < most_bytes ||
      end_unit(blocks_.back()) >= kUnitsPerBlock) {
    blocks_.emplace_back();
    // The first blocks are small, since many tables have a few texts alone. A view into a block has to stay valid, so
    // no block grows.
    const size_t whole_bytes =
        std::min(kFirstBlockBytes << std::min<size_t>(blocks_.size() - 1, 16), kUnitsPerBlock * kUnitBytes);
    blocks_.back().reserve(std::max(most_bytes, whole_bytes));
  }
  std::vector<char>& block = blocks_.back();
  const size_t unit = end_unit(block);
  block.resize(unit * kUnitBytes);
  uint8_t length[kMaxLeb128Bytes];
  block.insert(block.end(), length, WriteUleb128(text.size(), length));
  block.insert(block.end(), text.begin(), text.end());
  places_.push_back(static_cast<uint32_t>((blocks_.size() - 1) * kUnitsPerBlock + unit));
}

std::string_view StringTable::operator[](size_t row) const {
  const std::vector<char>& block = blocks_[places_[row] / kUnitsPerBlock];
  const size_t begin = places_[row] % kUnitsPerBlock * kUnitBytes;
  Leb128Reader reader({reinterpret_cast<const uint8_t*>(block.data()) + begin, block.size() - begin});
  const uint64_t size_bytes = reader.Uleb();
  return {reinterpret_cast<const char*>(reader.Bytes(size_bytes).data()), static_cast<size_t>(size_bytes)};
}

}  // namespace geckoprof
