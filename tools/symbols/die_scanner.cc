#include "tools/symbols/die_scanner.h"

#include <dwarf.h>

#include <algorithm>

#include "tools/symbols/abbrev_table.h"
#include "tools/symbols/byte_cursor.h"

namespace geckoprof {

DieScanner::DieScanner(const Unit& unit)
    : unit_(unit), abbrevs_(AbbrevsOf(unit)), at_(static_cast<size_t>(unit.first_offset)) {
  is_sound_ = unit.first_offset <= unit.info.size() && abbrevs_->is_sound();
}

std::shared_ptr<const AbbrevTable> DieScanner::AbbrevsOf(const Unit& unit) {
  const bool has_widths =
      unit.address_bytes >= 1 && unit.address_bytes <= 8 && (unit.offset_bytes == 4 || unit.offset_bytes == 8);
  const AbbrevTable::Place place{has_widths ? unit.abbrevs : std::span<const uint8_t>(), unit.abbrev_offset,
                                 unit.address_bytes, unit.offset_bytes};
  return unit.cache != nullptr ? unit.cache->Get(place) : std::make_shared<const AbbrevTable>(place);
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
    const AbbrevTable::Abbrev* abbrev = abbrevs_->Find(code);
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
  const AbbrevTable::Abbrev* abbrev =
      cursor.is_sound() && offset >= unit_.first_offset ? abbrevs_->Find(code) : nullptr;
  if (abbrev == nullptr) return false;
  at_ = static_cast<size_t>(cursor.at());
  die->offset = offset;
  die->tag = abbrev->tag;
  const bool is_read = ReadAttributes(*abbrev, die);
  at_ = at;
  return is_read;
}

bool DieScanner::ReadAttributes(const AbbrevTable::Abbrev& abbrev, Die* die) {
  die->values = {};
  for (const AbbrevTable::Attribute& attribute : abbrevs_->AttributesOf(abbrev)) {
    uint16_t form = attribute.form;
    if (form == 0) {
      if (!SkipBytes(attribute.fixed_bytes)) return false;
      continue;
    }
    if (form == DW_FORM_indirect) {
      ByteCursor cursor(unit_.info, at_);
      form = static_cast<uint16_t>(cursor.Uleb());
      if (!cursor.is_sound() || form == DW_FORM_indirect || form == DW_FORM_implicit_const) return false;
      at_ = static_cast<size_t>(cursor.at());
    }
    if (attribute.slot != kSlots) {
      const uint8_t* bytes = form == DW_FORM_implicit_const ? attribute.implicit_bytes : unit_.info.data() + at_;
      die->values[static_cast<size_t>(attribute.slot)] = {form, bytes};
    }
    if (attribute.fixed_bytes != 0 ? !SkipBytes(attribute.fixed_bytes) : !Skip(form)) return false;
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
  if (const size_t count = FixedFormBytes(form)) return SkipBytes(count);  // of DW_FORM_indirect
  if (IsOffsetForm(form)) return SkipBytes(unit_.offset_bytes);
  if (IsUlebForm(form) || form == DW_FORM_sdata) {
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
  if (IsUlebForm(value.form) || value.form == DW_FORM_sdata) return cursor.Uleb();
  const size_t count = FixedFormBytes(value.form);
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
