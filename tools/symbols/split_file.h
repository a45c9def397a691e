#ifndef GECKOPROF_TOOLS_SYMBOLS_SPLIT_FILE_H_
#define GECKOPROF_TOOLS_SYMBOLS_SPLIT_FILE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/symbols/abbrev_table.h"
#include "tools/symbols/die_scanner.h"
#include "tools/symbols/elf_image.h"

namespace geckoprof {

// One unit of split debug information.
struct SplitUnit {
  DieScanner::Unit scan;
  uint64_t unit_start = 0;            // offset of its header in scan.info
  std::span<const uint8_t> rnglists;  // from the unit's own list table on
  std::span<const uint8_t> string_offsets;
  std::span<const uint8_t> strings;
};

// SplitFile: debug information that the compiler kept out of the object files (-gsplit-dwarf): one unit in a .dwo, many
// of them in a .dwp, whose .debug_cu_index says which part of each section is whose. A unit is found by the id that its
// skeleton in the program has too, so one of another build is never taken. Threads: one at a time.
class SplitFile {
 public:
  static absl::StatusOr<std::unique_ptr<SplitFile>> Open(const std::string& path);

  std::optional<SplitUnit> Find(uint64_t dwo_id) const;

 private:
  enum Part : uint8_t { kInfo, kAbbrev, kStringOffsets, kRnglists, kParts };
  using Parts = std::array<std::span<const uint8_t>, kParts>;

  explicit SplitFile(std::unique_ptr<ElfImage> image);
  // The parts of the unit with this id, of a .dwp; empty if it has none.
  std::optional<Parts> FindInIndex(uint64_t dwo_id) const;
  // The unit with this id among those of the part.
  std::optional<SplitUnit> FindInParts(const Parts& parts, uint64_t dwo_id) const;

  const std::unique_ptr<ElfImage> image_;
  Parts sections_;
  std::span<const uint8_t> strings_, index_;
  mutable AbbrevCache abbrev_cache_;
};

// SplitNameReader: names of functions in a unit of split debug information, for which libdw has no strings where the
// unit came out of a .dwp. Lifetime: a view of the SplitFile. Threads: one at a time.
class SplitNameReader {
 public:
  explicit SplitNameReader(const SplitUnit& unit) : unit_(unit), scanner_(unit.scan) {}

  // Returns the name by which the linker knows the function of a DIE, else its plain name. It is empty if the function
  // has none. Follows the references of the DIE for a few steps.
  std::string_view NameOf(uint64_t die_offset);

 private:
  std::string_view Text(const DieScanner::Value& value) const;

  const SplitUnit unit_;
  DieScanner scanner_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SPLIT_FILE_H_
