#ifndef GECKOPROF_TOOLS_SYMBOLS_DWARF_UNIT_H_
#define GECKOPROF_TOOLS_SYMBOLS_DWARF_UNIT_H_

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "tools/symbols/die_ranges.h"
#include "tools/symbols/die_scanner.h"
#include "tools/symbols/elf_image.h"
#include "tools/symbols/line_table.h"
#include "tools/symbols/split_file.h"

namespace geckoprof {

// DwarfText: texts of attributes that libdw found. libdw hands out a pointer without looking for the zero behind the
// text, which broken files lack. A text counts only if it lies, with its zero, in one of the sections known here.
// Lifetime: a view of the files' sections. Threads: any.
class DwarfText {
 public:
  // Makes the file's sections known that have texts.
  void AddSections(const ElfImage& image);
  void AddSection(std::span<const uint8_t> bytes) { sections_.push_back(bytes); }

  // Empty: it has none.
  std::string_view TextOf(Dwarf_Attribute* attribute) const;
  // Likewise of an attribute of the DIE itself.
  std::string_view TextOf(Dwarf_Die* die, unsigned attribute) const;
  // Returns the text up to its zero. It is empty if the pointer is null or in no known section.
  std::string_view Bounded(const char* text) const;

 private:
  std::vector<std::span<const uint8_t>> sections_;
};

// One function at an address: what debug information says of it. The views live as long as the DwarfFile.
struct SourceFrame {
  std::string_view linkage_name;  // as the linker knows it, or the plain name; empty: unknown
  std::string_view file;          // empty: unknown
  uint32_t line = 0, column = 0;  // where in this function; 0: unknown
};

// AddressMap: which of many ranges, that may lie in one another, is the innermost at an address.
//
//   Add      [.....0.....)        Build    |0 |1  |2|1|0 |
//              [...1..)                    sorted, so that an address is found by halving
//                  [2)
//
// Wherever ranges overlap, the one added last is the innermost. Threads: one at a time until Build, any afterwards.
class AddressMap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Empty ranges are left out.
  void Add(uint64_t start, uint64_t end, uint32_t value) {
    if (start < end) ranges_.push_back({start, end, value});
  }
  void Build();
  // REQUIRES: Build was called. kNone: no range has it.
  uint32_t Find(uint64_t address) const;

  size_t range_count() const { return ranges_.size(); }

 private:
  struct Range {
    uint64_t start, end;
    uint32_t value;
  };
  struct Part {
    uint64_t start;
    uint32_t value;
  };

  void StartPart(uint64_t start, uint32_t value);

  std::vector<Range> ranges_;  // as added; empty after Build
  std::vector<Part> parts_;    // each up to the next one's start
};

// DwarfUnit: the index of one compile unit, made once: its functions and what was inlined into them, by address, and
// its line table.
//
//   scopes_   main()            an address is in the innermost one; from there up to the function:
//              +- run()          tick, called in run at call_line, called in main at call_line
//                  +- tick()
//
// Names and files are looked up for the scopes asked for alone. Lifetime: a view of the DwarfFile's sections and of
// libdw's unit.
// Threads: one at a time.
class DwarfUnit {
 public:
  struct Source {
    Dwarf* dwarf = nullptr;
    const DwarfText* texts = nullptr;
    std::shared_ptr<const LineTable> lines;  // null: there is none, or a broken one
    std::string_view comp_dir;               // the folder that it was compiled in
    DieScanner::Unit scan;                   // of the functions
    std::optional<SplitUnit> split;          // they are in a .dwo
    RangeListReader::Unit ranges;
  };

  explicit DwarfUnit(const Source& source);

  // False: it follows no rules, and nothing of it is believed.
  bool is_sound() const { return is_sound_; }

  // Appends the functions at the address, the outermost first; without any, one frame with the line alone. False:
  // nothing is known.
  bool Append(uint64_t svma, std::vector<SourceFrame>* frames);

  // Where functions lie, for units that do not say where they are as a whole.
  const std::vector<std::pair<uint64_t, uint64_t>>& function_ranges() const { return function_ranges_; }

  // Adds every source file that the unit names.
  void AddFiles(absl::flat_hash_set<std::string>* files) const;

 private:
  struct Scope {
    uint64_t die_offset;
    uint32_t parent;  // AddressMap::kNone: this is a function, no inlined one
    uint32_t call_file, call_line, call_column;
  };
  struct Place {
    std::string_view file;
    uint32_t line = 0, column = 0;
  };

  void ReadScopes(const Source& source);
  std::string_view NameOf(uint32_t scope);
  std::string_view FileName(uint32_t number);
  Place LineAt(uint64_t svma);

  bool is_sound_ = true;
  Dwarf* const dwarf_;
  const DwarfText* const texts_;
  const std::shared_ptr<const LineTable> lines_;
  const std::string_view comp_dir_;
  std::optional<SplitNameReader> split_names_;
  std::vector<Scope> scopes_;
  AddressMap scope_at_;
  std::vector<std::pair<uint64_t, uint64_t>> function_ranges_;
  absl::flat_hash_map<uint32_t, std::string_view> names_;
  absl::node_hash_map<uint32_t, std::string> file_names_;  // asked for so far
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DWARF_UNIT_H_
