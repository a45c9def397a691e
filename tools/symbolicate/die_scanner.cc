#include "tools/symbolicate/die_scanner.h"

#include <dwarf.h>

#include <algorithm>

#include "tools/symbolicate/byte_cursor.h"

namespace geckoprof {
namespace {

// Honest tables have some thousands at most.
constexpr size_t kMaxAbbrevs = 1 << 20, kMaxAttributes = 1 << 23;

uint8_t SlotOf(uint64_t attribute) {
  switch (attribute) {
    case DW_AT_low_pc:
      return DieScanner::kLowPc;
    case DW_AT_high_pc:
      return DieScanner::kHighPc;
    case DW_AT_ranges:
      return DieScanner::kRanges;
    case DW_AT_call_file:
      return DieScanner::kCallFile;
    case DW_AT_call_line:
      return DieScanner::kCallLine;
    case DW_AT_call_column:
      return DieScanner::kCallColumn;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      return DieScanner::kLinkageName;
    case DW_AT_name:
      return DieScanner::kName;
    case DW_AT_abstract_origin:
      return DieScanner::kOrigin;
    case DW_AT_specification:
      return DieScanner::kSpecification;
    case DW_AT_GNU_dwo_id:
      return DieScanner::kDwoId;
    default:
      return DieScanner::kSlots;
  }
}

// Of the forms that always have as many bytes; 0: others.
size_t FixedBytes(uint16_t form) {
  switch (form) {
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
      return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
      return 8;
    case DW_FORM_data16:
      return 16;
    default:
      return 0;
  }
}

bool IsUleb(uint16_t form) {
  switch (form) {
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return true;
    default:
      return false;
  }
}

bool IsUnit(uint16_t tag) {
  return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit || tag == DW_TAG_skeleton_unit;
}

bool IsOffset(uint16_t form) {
  switch (form) {
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_GNU_ref_alt:
      return true;
    default:
      return false;
  }
}

}  // namespace

DieScanner::DieScanner(const Unit& unit) : unit_(unit), at_(static_cast<size_t>(unit.first_offset)) {
  is_sound_ = unit.first_offset <= unit.info.size() && unit.address_bytes >= 1 && unit.address_bytes <= 8 &&
              (unit.offset_bytes == 4 || unit.offset_bytes == 8);
  if (is_sound_) ReadAbbrevs();
}

void DieScanner::ReadAbbrevs() {
  ByteCursor cursor(unit_.abbrevs, unit_.abbrev_offset);
  while (!cursor.AtEnd()) {
    const uint64_t code = cursor.Uleb();
    if (code == 0) break;
    Abbrev abbrev{code, static_cast<uint16_t>(cursor.Uleb()), cursor.Fixed(1) != 0,
                  static_cast<uint32_t>(attributes_.size()), 0};
    while (cursor.is_sound()) {
      const uint64_t name = cursor.Uleb(), form = cursor.Uleb();
      const uint8_t* implicit_bytes = nullptr;
      if (form == DW_FORM_implicit_const && cursor.is_sound()) {
        implicit_bytes = unit_.abbrevs.data() + cursor.at();
        cursor.Uleb();
      }
      if (name == 0 && form == 0) break;
      AddAttribute(abbrev, name, static_cast<uint16_t>(form), implicit_bytes);
    }
    abbrev.attribute_count = static_cast<uint32_t>(attributes_.size()) - abbrev.first_attribute;
    abbrevs_.push_back(abbrev);
    if (abbrevs_.size() > kMaxAbbrevs || attributes_.size() > kMaxAttributes) break;
  }
  is_sound_ = cursor.is_sound() && !abbrevs_.empty();
  std::stable_sort(abbrevs_.begin(), abbrevs_.end(), [](const Abbrev& a, const Abbrev& b) { return a.code < b.code; });
}

void DieScanner::AddAttribute(const Abbrev& abbrev, uint64_t name, uint16_t form, const uint8_t* implicit_bytes) {
  const bool is_function = abbrev.tag == DW_TAG_subprogram || abbrev.tag == DW_TAG_inlined_subroutine;
  const uint8_t slot = is_function || IsUnit(abbrev.tag) ? SlotOf(name) : uint8_t{kSlots};
  size_t fixed_bytes = FixedBytes(form);
  if (IsOffset(form)) fixed_bytes = unit_.offset_bytes;
  if (form == DW_FORM_addr) fixed_bytes = unit_.address_bytes;
  if (slot == kSlots && fixed_bytes != 0) {
    Attribute* last = attributes_.size() > abbrev.first_attribute ? &attributes_.back() : nullptr;
    if (last != nullptr && last->form == 0) {
      last->fixed_bytes += static_cast<uint32_t>(fixed_bytes);
      return;
    }
    form = 0;
  }
  attributes_.push_back({form, slot, static_cast<uint32_t>(fixed_bytes), implicit_bytes});
}

const DieScanner::Abbrev* DieScanner::Find(uint64_t code) const {
  // Compilers number from 1 without gaps.
  if (code - 1 < abbrevs_.size() && abbrevs_[code - 1].code == code) return &abbrevs_[code - 1];
  const auto found = std::lower_bound(abbrevs_.begin(), abbrevs_.end(), code,
                                      [](const Abbrev& abbrev, uint64_t value) { return abbrev.code < value; });
  return found != abbrevs_.end() && found->code == code ? &*found : nullptr;
}

bool DieScanner::Next(Die* die) {
  while (is_sound_ && at_ < unit_.info.size()) {
    const size_t start = at_;
    ByteCursor cursor(unit_.info, at_);
    const uint64_t code = cursor.Uleb();
    is_sound_ = cursor.is_sound();
    if (!is_sound_) return false;
    at_ = static_cast<size_t>(cursor.at());
    if (code == 0) {
      // Behind the children of the unit's own DIE only padding may come.
      if (--depth_ <= 0) return false;
      continue;
    }
    const Abbrev* abbrev = Find(code);
    is_sound_ = abbrev != nullptr;
    if (!is_sound_) return false;
    die->offset = start;
    die->tag = abbrev->tag;
    die->depth = depth_;
    is_sound_ = ReadAttributes(*abbrev, die);
    if (!is_sound_) return false;
    if (abbrev->has_children) ++depth_;
    return true;
  }
  return false;
}

bool DieScanner::ReadAt(uint64_t offset, Die* die) {
  const size_t at = at_;
  ByteCursor cursor(unit_.info, offset);
  const uint64_t code = cursor.Uleb();
  const Abbrev* abbrev = cursor.is_sound() && offset >= unit_.first_offset ? Find(code) : nullptr;
  if (abbrev == nullptr) return false;
  at_ = static_cast<size_t>(cursor.at());
  die->offset = offset;
  die->tag = abbrev->tag;
  const bool is_read = ReadAttributes(*abbrev, die);
  at_ = at;
  return is_read;
}

bool DieScanner::ReadAttributes(const Abbrev& abbrev, Die* die) {
  die->values = {};
  const Attribute* attribute = attributes_.data() + abbrev.first_attribute;
  for (uint32_t i = 0; i < abbrev.attribute_count; ++i, ++attribute) {
    uint16_t form = attribute->form;
    if (form == 0) {
      if (!SkipBytes(attribute->fixed_bytes)) return false;
      continue;
    }
    if (form == DW_FORM_indirect) {
      ByteCursor cursor(unit_.info, at_);
      form = static_cast<uint16_t>(cursor.Uleb());
      if (!cursor.is_sound() || form == DW_FORM_indirect || form == DW_FORM_implicit_const) return false;
      at_ = static_cast<size_t>(cursor.at());
    }
    if (attribute->slot != kSlots) {
      const uint8_t* bytes = form == DW_FORM_implicit_const ? attribute->implicit_bytes : unit_.info.data() + at_;
      die->values[attribute->slot] = {form, bytes};
    }
    if (attribute->fixed_bytes != 0 ? !SkipBytes(attribute->fixed_bytes) : !Skip(form)) return false;
  }
  return true;
}

bool DieScanner::SkipBytes(uint64_t count) {
  if (count > unit_.info.size() - at_) return false;
  at_ += static_cast<size_t>(count);
  return true;
}

// length_bytes 0: a ULEB.
bool DieScanner::SkipBlock(uint64_t length_bytes) {
  ByteCursor cursor(unit_.info, at_);
  const uint64_t length = length_bytes == 0 ? cursor.Uleb() : cursor.Fixed(static_cast<size_t>(length_bytes));
  if (!cursor.is_sound()) return false;
  at_ = static_cast<size_t>(cursor.at());
  return SkipBytes(length);
}

bool DieScanner::Skip(uint16_t form) {
  if (const size_t count = FixedBytes(form)) return SkipBytes(count);  // of DW_FORM_indirect
  if (IsOffset(form)) return SkipBytes(unit_.offset_bytes);
  if (IsUleb(form) || form == DW_FORM_sdata) {
    ByteCursor cursor(unit_.info, at_);
    cursor.Uleb();
    at_ = static_cast<size_t>(cursor.at());
    return cursor.is_sound();
  }
  switch (form) {
    case DW_FORM_addr:
      return SkipBytes(unit_.address_bytes);
    case DW_FORM_ref_addr:
      return SkipBytes(unit_.version <= 2 ? unit_.address_bytes : unit_.offset_bytes);
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return true;
    case DW_FORM_exprloc:
    case DW_FORM_block:
      return SkipBlock(0);
    case DW_FORM_block1:
      return SkipBlock(1);
    case DW_FORM_block2:
      return SkipBlock(2);
    case DW_FORM_block4:
      return SkipBlock(4);
    case DW_FORM_string: {
      const auto end = std::find(unit_.info.begin() + static_cast<ptrdiff_t>(at_), unit_.info.end(), uint8_t{0});
      if (end == unit_.info.end()) return false;
      at_ = static_cast<size_t>(end - unit_.info.begin()) + 1;
      return true;
    }
    default:
      return false;
  }
}

std::optional<uint64_t> DieScanner::Number(const Value& value) const {
  if (value.form == 0) return std::nullopt;
  if (value.form == DW_FORM_implicit_const) {
    return ByteCursor(unit_.abbrevs, static_cast<uint64_t>(value.bytes - unit_.abbrevs.data())).Uleb();
  }
  ByteCursor cursor(unit_.info, static_cast<uint64_t>(value.bytes - unit_.info.data()));
  if (IsUleb(value.form) || value.form == DW_FORM_sdata) return cursor.Uleb();
  const size_t count = FixedBytes(value.form);
  if (count == 0 || count > 8) return std::nullopt;
  return cursor.Fixed(count);
}

std::optional<uint64_t> DieScanner::Offset(const Value& value) const {
  // Up to version 3 an offset was a plain number of four or eight bytes.
  if (value.form == DW_FORM_data4 || value.form == DW_FORM_data8) return Number(value);
  if (value.form != DW_FORM_sec_offset) return std::nullopt;
  return ByteCursor(unit_.info, static_cast<uint64_t>(value.bytes - unit_.info.data())).Fixed(unit_.offset_bytes);
}

std::optional<uint64_t> DieScanner::Reference(const Value& value, uint64_t unit_start) const {
  switch (value.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      return unit_start + Number(value).value_or(0);
    case DW_FORM_ref_addr:
      return ByteCursor(unit_.info, static_cast<uint64_t>(value.bytes - unit_.info.data()))
          .Fixed(unit_.version <= 2 ? unit_.address_bytes : unit_.offset_bytes);
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> DieScanner::Address(const Value& value) const {
  if (value.form != DW_FORM_addr) return std::nullopt;
  return ByteCursor(unit_.info, static_cast<uint64_t>(value.bytes - unit_.info.data())).Fixed(unit_.address_bytes);
}

}  // namespace geckoprof
