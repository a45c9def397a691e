#ifndef GECKOPROF_TOOLS_SYMBOLS_SPLIT_NAME_READER_H_
#define GECKOPROF_TOOLS_SYMBOLS_SPLIT_NAME_READER_H_

#include <cstdint>
#include <string_view>

#include "tools/symbols/die_scanner.h"
#include "tools/symbols/split_file.h"

namespace geckoprof {

// SplitNameReader: names of functions in a unit of split debug information, for which libdw has no strings where the
// unit came out of a .dwp. Lifetime: a view of the SplitFile. Threads: one at a time.
class SplitNameReader {
 public:
  explicit SplitNameReader(const SplitUnit& unit) : unit_(unit), scanner_(unit.scan) {}

  // As the linker knows the function whose DIE this is, else its plain name; empty if it has none. Follows what the DIE
  // refers to, a few steps.
  std::string_view NameOf(uint64_t die_offset);

 private:
  std::string_view Text(const DieScanner::Value& value) const;

  const SplitUnit unit_;
  DieScanner scanner_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SPLIT_NAME_READER_H_
