#ifndef GECKOPROF_TOOLS_SYMBOLS_ABBREV_TABLE_H_
#define GECKOPROF_TOOLS_SYMBOLS_ABBREV_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace geckoprof {

// DW_FORM_..., how an attribute's value is written. Bytes of the forms that always have as many; 0: others.
size_t FixedFormBytes(uint16_t form);
bool IsUlebForm(uint16_t form);
// As wide as the unit's offsets.
bool IsOffsetForm(uint16_t form);

// The attributes of entries (DIEs) that are handed on.
enum class DieSlot : uint8_t {
  kLowPc,
  kHighPc,
  kRanges,
  kCallFile,
  kCallLine,
  kCallColumn,
  kLinkageName,
  kName,
  kOrigin,
  kSpecification,
  kDwoId,
  kSlots
};

// AbbrevTable: a table of .debug_abbrev, which says what attributes a DIE has and how they are written: read once, and
// then by code. Hostile bytes: it has at most a million kinds of entries. Threads: any, once it is made.
class AbbrevTable {
 public:
  // Where it is, and how wide addresses and offsets are in the units that use it.
  struct Place {
    std::span<const uint8_t> section;
    uint64_t offset = 0;
    size_t address_bytes = 8, offset_bytes = 4;
  };

  // One attribute, or several in a row that are of no interest and always have as many bytes.
  struct Attribute {
    uint16_t form;                  // 0: only to be skipped
    DieSlot slot;                   // kSlots: of no interest
    uint32_t fixed_bytes;           // 0: the form tells
    const uint8_t* implicit_bytes;  // of DW_FORM_implicit_const
  };
  struct Abbrev {
    uint64_t code;
    uint16_t tag;
    bool has_children;
    uint32_t first_attribute, attribute_count;
  };

  explicit AbbrevTable(const Place& place);

  // False: it follows no rules, or has nothing in it.
  bool is_sound() const { return is_sound_; }
  // Null: there is no such code.
  const Abbrev* Find(uint64_t code) const;
  std::span<const Attribute> AttributesOf(const Abbrev& abbrev) const {
    return std::span(attributes_).subspan(abbrev.first_attribute, abbrev.attribute_count);
  }

  // Of the section, that were read.
  size_t read_bytes() const { return read_bytes_; }
  // In memory.
  size_t size_bytes() const { return abbrevs_.size() * sizeof(Abbrev) + attributes_.size() * sizeof(Attribute); }

 private:
  void AddAttribute(const Place& place, const Abbrev& abbrev, uint64_t name, uint16_t form,
                    const uint8_t* implicit_bytes);

  bool is_sound_ = false;
  size_t read_bytes_ = 0;
  std::vector<Abbrev> abbrevs_;  // by code
  std::vector<Attribute> attributes_;
};

// AbbrevCache: the tables of abbreviations of one file, each read once however many units use it. In a
// hostile file, a hundred thousand units share a large table or begin at each byte of it. It costs memory and time in
// proportion to the file. The kept tables have a bound, and so have the bytes that are read. After these bytes every
// table is unsound. Threads:
// one at a time.
class AbbrevCache {
 public:
  static constexpr size_t kMaxKeptBytes = size_t{32} << 20;
  // The section may be read this often. Compilers share a table wholly or not at all, so they need one time.
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

#endif  // GECKOPROF_TOOLS_SYMBOLS_ABBREV_TABLE_H_
