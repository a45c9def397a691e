#ifndef GECKOPROF_TOOLS_SYMBOLS_DIE_SCANNER_H_
#define GECKOPROF_TOOLS_SYMBOLS_DIE_SCANNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "tools/symbols/abbrev_table.h"

namespace geckoprof {

// DieScanner: one pass over all entries (DIEs) of a compile unit, in the order of the bytes:
//
//   unit | header | DIE | DIE | DIE | 0 | DIE | 0 |      0 ends the children of one
//                   ^ Next          each byte is looked at once, so no data makes it go on for ever
//
// libdw's own dwarf_child and dwarf_siblingof read the attributes several times over. Only what names addresses is
// handed on; names are read through libdw, where they are wanted. Lifetime: a view of the sections.
// Threads: one at a time.
class DieScanner {
 public:
  struct Unit {
    std::span<const uint8_t> info;     // the section, up to the unit's end
    std::span<const uint8_t> abbrevs;  // the section
    uint64_t abbrev_offset = 0;
    uint64_t first_offset = 0;  // of the unit's own DIE
    int version = 0;
    size_t address_bytes = 8;
    size_t offset_bytes = 4;
    AbbrevCache* cache = nullptr;  // of the file; null: there is none
  };

  using enum DieSlot;
  using Slot = DieSlot;

  struct Value {
    uint16_t form = 0;  // 0: the DIE has no such attribute
    const uint8_t* bytes = nullptr;
  };
  struct Die {
    uint64_t offset = 0;
    uint16_t tag = 0;
    int depth = 0;  // the unit's own: 0
    std::array<Value, static_cast<size_t>(kSlots)> values;
    const Value& operator[](Slot slot) const { return values[static_cast<size_t>(slot)]; }
  };

  explicit DieScanner(const Unit& unit);

  // The next DIE; false at the end of the unit.
  bool Next(Die* die);

  // The DIE at this offset of the section, wherever Next is; false if there is none.
  bool ReadAt(uint64_t offset, Die* die);

  // False: the unit's bytes follow no rules, and what comes after is unknown.
  bool is_sound() const { return is_sound_; }

  // An unsigned number of a constant or index form (not an address, not an offset); empty if the form is another one.
  std::optional<uint64_t> Number(const Value& value) const;
  // An offset into another section.
  std::optional<uint64_t> Offset(const Value& value) const;
  // Where a reference to another DIE of the unit leads; `unit_start`: the offset of the unit's header.
  std::optional<uint64_t> Reference(const Value& value, uint64_t unit_start) const;
  // An address that stands there itself.
  std::optional<uint64_t> Address(const Value& value) const;

 private:
  static std::shared_ptr<const AbbrevTable> AbbrevsOf(const Unit& unit);
  bool ReadAttributes(const AbbrevTable::Abbrev& abbrev, Die* die);
  bool Skip(uint16_t form);
  bool SkipBytes(uint64_t count);
  bool SkipBlock(uint64_t length_bytes);

  const Unit unit_;
  const std::shared_ptr<const AbbrevTable> abbrevs_;
  size_t at_;
  int depth_ = 0;
  bool is_sound_ = true;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DIE_SCANNER_H_
