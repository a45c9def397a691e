#ifndef GECKOPROF_TOOLS_SYMBOLS_ABBREV_CACHE_H_
#define GECKOPROF_TOOLS_SYMBOLS_ABBREV_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "tools/symbols/abbrev_table.h"

namespace geckoprof {

// AbbrevCache: the tables of abbreviations of one file, each read once however many units use it. Hostile files, in
// which a hundred thousand units share a large table or begin at each byte of it, cost memory and time in proportion to
// the file: what is kept has a bound, and so have the bytes that are read, after which every table is unsound. Threads:
// one at a time.
class AbbrevCache {
 public:
  static constexpr size_t kMaxKeptBytes = size_t{32} << 20;
  // As often as this may the section be read; compilers share a table wholly or not at all, so once is what it takes.
  static constexpr size_t kMaxRereads = 16;

  // Never null. The section outlives the table.
  std::shared_ptr<const AbbrevTable> Get(const AbbrevTable::Place& place);

 private:
  using Key = std::tuple<const uint8_t*, size_t, uint64_t, size_t, size_t>;

  absl::flat_hash_map<Key, std::shared_ptr<const AbbrevTable>> tables_;
  size_t kept_bytes_ = 0;
  uint64_t read_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_ABBREV_CACHE_H_
