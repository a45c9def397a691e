#ifndef GECKOPROF_TOOLS_SYMBOLS_DWARF_FILE_H_
#define GECKOPROF_TOOLS_SYMBOLS_DWARF_FILE_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tools/symbols/debug_file_finder.h"
#include "tools/symbols/dwarf_unit.h"
#include "tools/symbols/elf_image.h"
#include "tools/symbols/line_table.h"
#include "tools/symbols/split_file.h"

namespace geckoprof {

// DwarfFile: functions, inlined functions, files and lines by address, from one file with debug information (DWARF 4
// and 5; parts of it may lie in a dwz file, in .dwo files or a .dwp).
//
//   unit_at_   | unit 3 | unit 0 |   | unit 7 |     made at once, from the units' own ranges
//                   |
//                   DwarfUnit                       made when the first of its addresses is asked for
//
// Hostile bytes: a unit that follows no rules is left out as a whole and counted. Threads: one at a time.
class DwarfFile {
 public:
  // `object_path`: of the program or library, beside which other parts may lie. `finder` outlives this.
  static absl::StatusOr<std::unique_ptr<DwarfFile>> Open(std::unique_ptr<ElfImage> image,
                                                         const std::string& object_path, DebugFileFinder* finder);
  ~DwarfFile();
  DwarfFile(const DwarfFile&) = delete;
  DwarfFile& operator=(const DwarfFile&) = delete;

  // Appends the functions at the address, the outermost first. False: nothing is known.
  bool Append(uint64_t svma, std::vector<SourceFrame>* frames);

  // Every source file that the units name, sorted. Makes the index of all units.
  std::vector<std::string> SourceFiles();

  // What could not be read; of the functions of units as far as they were asked for.
  uint64_t broken_units() const { return broken_units_; }
  uint64_t missing_split_units() const { return missing_split_units_; }
  bool lacks_alternate() const { return lacks_alternate_; }

 private:
  struct Unit {
    uint64_t die_offset = 0;
    uint64_t end_offset = 0;
    uint64_t abbrev_offset = 0;
    uint64_t start_offset = 0;
    int version = 0;
    size_t address_bytes = 8, offset_bytes = 4;
    bool is_read = false, is_broken = false;
    std::unique_ptr<DwarfUnit> index;
  };

  DwarfFile(std::unique_ptr<ElfImage> image, std::string object_path, DebugFileFinder* finder);
  void ListUnits();
  void AddUnitRanges(uint32_t number);
  void FindAlternate();
  void ReadUnrangedUnits();
  void NoteBroken(uint32_t number);
  DwarfUnit* IndexOf(uint32_t number);
  DieScanner::Unit ScanOf(const Unit& unit);
  RangeListReader::Unit RangesOf(const Unit& unit, Dwarf_Die* die) const;
  std::optional<uint64_t> DwoIdOf(const Unit& unit, Dwarf_Die* die) const;
  std::optional<SplitUnit> FindSplit(uint64_t dwo_id, Dwarf_Die* die);
  const SplitFile* OpenSplit(const std::string& path);
  std::shared_ptr<const LineTable> LinesOf(Dwarf_Die* die);

  const std::unique_ptr<ElfImage> image_;
  const std::string object_path_;
  DebugFileFinder* const finder_;
  Dwarf* dwarf_ = nullptr;
  std::unique_ptr<ElfImage> alternate_image_;
  Dwarf* alternate_ = nullptr;
  std::span<const uint8_t> info_, abbrevs_, ranges_, rnglists_, addresses_;
  AbbrevCache abbrev_cache_;
  DwarfText texts_;
  LineHeader::Source lines_;  // the sections
  // By offset: units may share one. Null: broken.
  absl::flat_hash_map<uint64_t, std::shared_ptr<const LineTable>> line_tables_;
  uint64_t line_bytes_ = 0;  // of all that were read
  std::vector<Unit> units_;
  AddressMap unit_at_;
  std::vector<uint32_t> unranged_;  // units that do not say where they are
  bool unranged_read_ = false;
  AddressMap unranged_at_;
  absl::flat_hash_map<std::string, std::unique_ptr<SplitFile>> split_files_;  // null: none there
  uint64_t broken_units_ = 0, missing_split_units_ = 0;
  bool lacks_alternate_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DWARF_FILE_H_
