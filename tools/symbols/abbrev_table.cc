#include "tools/symbols/abbrev_table.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "tools/symbols/byte_cursor.h"

namespace geckoprof {

size_t FixedFormBytes(uint16_t form) {
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

bool IsUlebForm(uint16_t form) {
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

bool IsOffsetForm(uint16_t form) {
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

namespace {

// Honest tables have some thousands at most.
constexpr size_t kMaxAbbrevs = 1 << 20, kMaxAttributes = 1 << 23;

DieSlot SlotOf(uint64_t attribute) {
  switch (attribute) {
    case DW_AT_low_pc:
      return DieSlot::kLowPc;
    case DW_AT_high_pc:
      return DieSlot::kHighPc;
    case DW_AT_ranges:
      return DieSlot::kRanges;
    case DW_AT_call_file:
      return DieSlot::kCallFile;
    case DW_AT_call_line:
      return DieSlot::kCallLine;
    case DW_AT_call_column:
      return DieSlot::kCallColumn;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
      return DieSlot::kLinkageName;
    case DW_AT_name:
      return DieSlot::kName;
    case DW_AT_abstract_origin:
      return DieSlot::kOrigin;
    case DW_AT_specification:
      return DieSlot::kSpecification;
    case DW_AT_GNU_dwo_id:
      return DieSlot::kDwoId;
    default:
      return DieSlot::kSlots;
  }
}

bool IsUnit(uint16_t tag) {
  return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit || tag == DW_TAG_skeleton_unit;
}

}  // namespace

AbbrevTable::AbbrevTable(const Place& place) {
  ByteCursor cursor(place.section, place.offset);
  while (!cursor.AtEnd()) {
    const uint64_t code = cursor.Uleb();
    if (code == 0) break;
    Abbrev abbrev{code, static_cast<uint16_t>(cursor.Uleb()), cursor.Fixed(1) != 0,
                  static_cast<uint32_t>(attributes_.size()), 0};
    while (cursor.is_sound()) {
      const uint64_t name = cursor.Uleb(), form = cursor.Uleb();
      const uint8_t* implicit_bytes = nullptr;
      if (form == DW_FORM_implicit_const && cursor.is_sound()) {
        implicit_bytes = place.section.data() + cursor.at();
        cursor.Uleb();
      }
      if (name == 0 && form == 0) break;
      AddAttribute(place, abbrev, name, static_cast<uint16_t>(form), implicit_bytes);
    }
    abbrev.attribute_count = static_cast<uint32_t>(attributes_.size()) - abbrev.first_attribute;
    abbrevs_.push_back(abbrev);
    if (abbrevs_.size() > kMaxAbbrevs || attributes_.size() > kMaxAttributes) break;
  }
  read_bytes_ = static_cast<size_t>(cursor.at() - std::min(cursor.at(), place.offset));
  is_sound_ = cursor.is_sound() && !abbrevs_.empty();
  std::stable_sort(abbrevs_.begin(), abbrevs_.end(), [](const Abbrev& a, const Abbrev& b) { return a.code < b.code; });
}

void AbbrevTable::AddAttribute(const Place& place, const Abbrev& abbrev, uint64_t name, uint16_t form,
                               const uint8_t* implicit_bytes) {
  const bool is_function = abbrev.tag == DW_TAG_subprogram || abbrev.tag == DW_TAG_inlined_subroutine;
  const DieSlot slot = is_function || IsUnit(abbrev.tag) ? SlotOf(name) : DieSlot::kSlots;
  size_t fixed_bytes = FixedFormBytes(form);
  if (IsOffsetForm(form)) fixed_bytes = place.offset_bytes;
  if (form == DW_FORM_addr) fixed_bytes = place.address_bytes;
  if (slot == DieSlot::kSlots && fixed_bytes != 0) {
    Attribute* last = attributes_.size() > abbrev.first_attribute ? &attributes_.back() : nullptr;
    if (last != nullptr && last->form == 0) {
      last->fixed_bytes += static_cast<uint32_t>(fixed_bytes);
      return;
    }
    form = 0;
  }
  attributes_.push_back({form, slot, static_cast<uint32_t>(fixed_bytes), implicit_bytes});
}

const AbbrevTable::Abbrev* AbbrevTable::Find(uint64_t code) const {
  // Compilers number from 1 without gaps.
  if (code - 1 < abbrevs_.size() && abbrevs_[code - 1].code == code) return &abbrevs_[code - 1];
  const auto found = std::lower_bound(abbrevs_.begin(), abbrevs_.end(), code,
                                      [](const Abbrev& abbrev, uint64_t value) { return abbrev.code < value; });
  return found != abbrevs_.end() && found->code == code ? &*found : nullptr;
}

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
