#include "tools/symbols/dwarf_unit.h"

#include <dwarf.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "tools/symbols/byte_cursor.h"
#include "tools/symbols/die_ranges.h"

namespace geckoprof {

void DwarfText::AddSections(const ElfImage& image) {
  for (const char* name : {".debug_str", ".debug_line_str", ".debug_info", ".debug_types"}) {
    if (const std::span<const uint8_t> bytes = image.SectionBytes(name); !bytes.empty()) AddSection(bytes);
  }
}

std::string_view DwarfText::TextOf(Dwarf_Attribute* attribute) const { return Bounded(dwarf_formstring(attribute)); }

std::string_view DwarfText::TextOf(Dwarf_Die* die, unsigned attribute) const {
  Dwarf_Attribute found;
  return dwarf_attr(die, attribute, &found) != nullptr ? TextOf(&found) : std::string_view();
}

std::string_view DwarfText::Bounded(const char* text) const {
  const auto at = reinterpret_cast<uintptr_t>(text);
  for (const std::span<const uint8_t> section : sections_) {
    const auto start = reinterpret_cast<uintptr_t>(section.data());
    if (at >= start && at - start < section.size()) return ByteCursor(section, at - start).Text();
  }
  return {};
}

namespace {

// Of one unit together; the largest honest ones have a hundred thousand.
constexpr size_t kMaxScopeRanges = size_t{1} << 24;
// Of functions inlined into one another at one address.
constexpr int kMaxInlineDepth = 500;

}  // namespace

DwarfUnit::DwarfUnit(const Source& source)
    : dwarf_(source.dwarf), texts_(source.texts), lines_(source.lines), comp_dir_(source.comp_dir) {
  if (source.split.has_value()) split_names_.emplace(*source.split);
  ReadScopes(source);
}

void DwarfUnit::ReadScopes(const Source& source) {
  DieScanner scanner(source.scan);
  const RangeListReader reader(source.ranges);
  struct Open {
    int depth;
    uint32_t scope;
  };
  std::vector<Open> open;  // the scopes around
  RangeListReader::Ranges ranges;
  DieScanner::Die die;
  const auto number = [&](DieScanner::Slot slot) {
    return static_cast<uint32_t>(std::min<uint64_t>(scanner.Number(die[slot]).value_or(0), UINT32_MAX));
  };
  while (scanner.Next(&die)) {
    while (!open.empty() && open.back().depth >= die.depth) open.pop_back();
    if (die.tag != DW_TAG_subprogram && die.tag != DW_TAG_inlined_subroutine) continue;
    if (die[DieScanner::kLowPc].form == 0 && die[DieScanner::kRanges].form == 0) continue;
    ranges.clear();
    if (!AppendDieRanges(scanner, reader, die, &ranges) || scope_at_.range_count() > kMaxScopeRanges) {
      is_sound_ = false;
      return;
    }
    const bool is_inlined = die.tag == DW_TAG_inlined_subroutine && !open.empty();
    const auto scope = static_cast<uint32_t>(scopes_.size());
    scopes_.push_back({die.offset, is_inlined ? open.back().scope : AddressMap::kNone, number(DieScanner::kCallFile),
                       number(DieScanner::kCallLine), number(DieScanner::kCallColumn)});
    open.push_back({die.depth, scope});
    for (const auto& [start, end] : ranges) {
      if (start == 0) continue;  // the linker left the function out
      scope_at_.Add(start, end, scope);
      if (!is_inlined) function_ranges_.emplace_back(start, end);
    }
  }
  is_sound_ = scanner.is_sound();
  scope_at_.Build();
}

std::string_view DwarfUnit::FileName(uint32_t number) {
  if (lines_ == nullptr || number >= lines_->file_count()) return {};
  const auto [entry, is_new] = file_names_.try_emplace(number);
  if (is_new) entry->second = lines_->FileName(number, comp_dir_);
  return entry->second;
}

DwarfUnit::Place DwarfUnit::LineAt(uint64_t svma) {
  const std::optional<LineTable::Row> row = lines_ != nullptr ? lines_->Find(svma) : std::nullopt;
  if (!row.has_value()) return {};
  return {FileName(row->file), row->line, row->column};
}

std::string_view DwarfUnit::NameOf(uint32_t scope) {
  const auto [entry, is_new] = names_.try_emplace(scope);
  if (!is_new) return entry->second;
  if (split_names_.has_value()) return entry->second = split_names_->NameOf(scopes_[scope].die_offset);
  Dwarf_Die die;
  if (dwarf_offdie(dwarf_, scopes_[scope].die_offset, &die) == nullptr) return {};
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    Dwarf_Attribute found;
    if (dwarf_attr_integrate(&die, attribute, &found) == nullptr) continue;
    entry->second = texts_->TextOf(&found);
    if (!entry->second.empty()) break;
  }
  return entry->second;
}

bool DwarfUnit::Append(uint64_t svma, std::vector<SourceFrame>* frames) {
  if (!is_sound_) return false;
  Place place = LineAt(svma);
  uint32_t scope = scope_at_.Find(svma);
  if (scope == AddressMap::kNone) {
    if (place.line == 0) return false;
    frames->push_back({{}, place.file, place.line, place.column});
    return true;
  }
  const auto first = static_cast<ptrdiff_t>(frames->size());
  for (int depth = 0; scope != AddressMap::kNone && depth < kMaxInlineDepth; ++depth) {
    frames->push_back({NameOf(scope), place.file, place.line, place.column});
    const Scope& called = scopes_[scope];
    place = {FileName(called.call_file), called.call_line, called.call_column};
    scope = called.parent;
  }
  std::reverse(frames->begin() + first, frames->end());
  return true;
}

void DwarfUnit::AddFiles(absl::flat_hash_set<std::string>* files) const {
  const size_t count = lines_ != nullptr ? lines_->file_count() : 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::string name = lines_->FileName(i, comp_dir_); !name.empty()) files->insert(std::move(name));
  }
}

void AddressMap::Build() {
  std::vector<uint32_t> by_start(ranges_.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::sort(by_start.begin(), by_start.end(),
            [&](uint32_t a, uint32_t b) { return ranges_[a].start < ranges_[b].start; });
  std::priority_queue<uint32_t> open;  // the one added last on top; those that have ended go when they come up
  size_t next = 0;
  while (next < by_start.size() || !open.empty()) {
    const uint64_t start = next < by_start.size() ? ranges_[by_start[next]].start : UINT64_MAX;
    const uint64_t at = open.empty() ? start : std::min(start, ranges_[open.top()].end);
    while (next < by_start.size() && ranges_[by_start[next]].start == at) open.push(by_start[next++]);
    while (!open.empty() && ranges_[open.top()].end <= at) open.pop();
    StartPart(at, open.empty() ? kNone : ranges_[open.top()].value);
  }
  std::vector<Range>().swap(ranges_);
}

void AddressMap::StartPart(uint64_t start, uint32_t value) {
  if (!parts_.empty() && parts_.back().start == start) {
    parts_.back().value = value;
  } else if (parts_.empty() || parts_.back().value != value) {
    parts_.push_back({start, value});
  }
}

uint32_t AddressMap::Find(uint64_t address) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), address,
                                      [](uint64_t value, const Part& part) { return value < part.start; });
  return after == parts_.begin() ? kNone : (after - 1)->value;
}

}  // namespace geckoprof
