#include "tools/symbols/abbrev_cache.h"

#include <utility>

namespace geckoprof {

std::shared_ptr<const AbbrevTable> AbbrevCache::Get(const AbbrevTable::Place& place) {
  constexpr uint64_t kAlways = uint64_t{1} << 20;  // small files need no bound
  const Key key(place.section.data(), place.section.size(), place.offset, place.address_bytes, place.offset_bytes);
  if (const auto known = tables_.find(key); known != tables_.end()) return known->second;
  if (read_bytes_ > kAlways + place.section.size() * uint64_t{kMaxRereads}) {
    return std::make_shared<const AbbrevTable>(AbbrevTable::Place{});
  }
  auto table = std::make_shared<const AbbrevTable>(place);
  read_bytes_ += table->read_bytes();
  kept_bytes_ += table->size_bytes();
  if (kept_bytes_ > kMaxKeptBytes) {
    tables_.clear();
    kept_bytes_ = table->size_bytes();
  }
  tables_.emplace(key, table);
  return table;
}

}  // namespace geckoprof
