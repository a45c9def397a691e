#include "labels/category_table.h"

#include <string.h>

#include <algorithm>
#include <iterator>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/utf8_repair.h"
#include "geckoprof/entries/entry_builder.h"

namespace geckoprof {
namespace {

constinit CategoryTable g_table;

constexpr size_t kLargestEntry = 256;

// Returns an empty text if `text` cannot be a name.
std::string_view NameFrom(const char* text) {
  if (text == nullptr) return {};
  const std::string_view name(text, strnlen(text, kMaxCategoryNameBytes + 1));
  return name.size() <= kMaxCategoryNameBytes && IsUtf8(name) ? name : std::string_view();
}

uint32_t ColorFrom(const char* text) {
  const auto* const found = text == nullptr ? std::end(kCategoryColors)
                                            : std::find(std::begin(kCategoryColors), std::end(kCategoryColors), text);
  return static_cast<uint32_t>(found - std::begin(kCategoryColors));
}

}  // namespace

CategoryTable& CategoryTable::Get() { return g_table; }

geckoprof_category_result CategoryTable::Add(const char* name_text, const char* color_text, uint32_t& pair) {
  const std::string_view name = NameFrom(name_text);
  const uint32_t color = ColorFrom(color_text);
  const TableLock::Holder holder(lock_);
  pair = kOtherCategory << 8;
  if (name.empty()) return Refused(GECKOPROF_CATEGORY_BAD_NAME);
  if (color == std::size(kCategoryColors)) return Refused(GECKOPROF_CATEGORY_UNKNOWN_COLOR);
  uint32_t number = 0;
  const geckoprof_category_result result = AddLocked(name, color, number);
  if (result == GECKOPROF_CATEGORY_FULL) return Refused(result);
  pair = number << 8;
  NotePersistent(PersistentState::kCategories);
  return result;
}

bool CategoryTable::HasNames() {
  if (names_ == nullptr && !StoppedForGood().load(std::memory_order_relaxed)) {
    names_ = reinterpret_cast<Names*>(PageMemory::Map(RoundUpTo(sizeof(Names), kPageBytes)).Release());
  }
  return names_ != nullptr;
}

geckoprof_category_result CategoryTable::AddLocked(std::string_view name, uint32_t color, uint32_t& number) {
  const auto there = [&](uint32_t at, std::string_view its_color) {
    number = at;
    return its_color == kCategoryColors[color] ? GECKOPROF_CATEGORY_THERE : GECKOPROF_CATEGORY_OTHER_COLOR;
  };
  for (uint32_t i = 0; i < kBuiltinCategoryCount; ++i) {
    if (kBuiltinCategories[i].name == name) return there(i, kBuiltinCategories[i].color);
  }
  for (uint32_t i = 0; i < category_count_; ++i) {
    if (names_->categories[i].name.view() == name)
      return there(kFirstOwnCategory + i, kCategoryColors[names_->categories[i].color]);
  }
  if (category_count_ == kMaxOwnCategories || !HasNames()) return GECKOPROF_CATEGORY_FULL;
  Category& category = names_->categories[category_count_];
  memcpy(category.name.text, name.data(), name.size());
  category.name.bytes = static_cast<uint8_t>(name.size());
  category.color = static_cast<uint8_t>(color);
  category.subcategory_count = 0;
  number = kFirstOwnCategory + category_count_++;
  return GECKOPROF_CATEGORY_ADDED;
}

geckoprof_category_result CategoryTable::AddSubcategory(uint32_t category_pair, const char* name_text, uint32_t& pair) {
  const std::string_view name = NameFrom(name_text);
  const uint32_t category = category_pair >> 8;
  const TableLock::Holder holder(lock_);
  pair = category_pair;
  const bool is_own = IsOwnCategory(category) && category - kFirstOwnCategory < category_count_;
  if (!is_own && category >= kBuiltinCategoryCount) return Refused(GECKOPROF_CATEGORY_NONE);
  if (name.empty()) return Refused(GECKOPROF_CATEGORY_BAD_NAME);
  uint32_t number = 0;
  const geckoprof_category_result result = AddSubcategoryLocked(category, name, number);
  if (result == GECKOPROF_CATEGORY_FULL) return Refused(result);
  pair = category << 8 | number;
  NotePersistent(PersistentState::kCategories);
  return result;
}

geckoprof_category_result CategoryTable::AddSubcategoryLocked(uint32_t category, std::string_view name,
                                                              uint32_t& number) {
  const bool is_own = category >= kFirstOwnCategory;
  const auto listed =
      is_own ? std::span<const std::string_view>(kOnlyOther) : kBuiltinCategories[category].subcategories;
  const auto found = std::find(listed.begin(), listed.end(), name);
  if (found != listed.end()) {
    number = static_cast<uint32_t>(found - listed.begin());
    return GECKOPROF_CATEGORY_THERE;
  }
  for (uint32_t i = 0; i < subcategory_count_; ++i) {
    if (names_->subcategories[i].category != category || names_->subcategories[i].name.view() != name) continue;
    number = names_->subcategories[i].number;
    return GECKOPROF_CATEGORY_THERE;
  }
  uint8_t& count = is_own ? names_->categories[category - kFirstOwnCategory].subcategory_count
                          : builtin_subcategory_counts_[category];
  const bool is_full = count == kMaxOwnSubcategories || subcategory_count_ == kMaxSubcategoriesInAll;
  if (is_full || !HasNames()) return GECKOPROF_CATEGORY_FULL;
  Subcategory& subcategory = names_->subcategories[subcategory_count_];
  memcpy(subcategory.name.text, name.data(), name.size());
  subcategory.name.bytes = static_cast<uint8_t>(name.size());
  subcategory.category = static_cast<uint16_t>(category);
  number = kFirstOwnSubcategory + count++;
  subcategory.number = static_cast<uint8_t>(number);
  ++subcategory_count_;
  return GECKOPROF_CATEGORY_ADDED;
}

geckoprof_category_result CategoryTable::Refused(geckoprof_category_result why) {
  ++refused_;
  NotePersistent(PersistentState::kCategories);
  return why;
}

// An entry without room is counted, and is not tried again.
void CategoryTable::WriteTo(const Segment& segment) {
  const TableLock::Holder holder(lock_);
  if (segment.serial() < serial_) return;  // of a recording that is over
  if (serial_ != segment.serial()) {
    stream_ = StreamWriter(&segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    serial_ = segment.serial();
    written_categories_ = written_subcategories_ = written_refused_ = 0;
  }
  uint8_t bytes[kLargestEntry];
  for (; written_categories_ < category_count_; ++written_categories_) {
    const Category& category = names_->categories[written_categories_];
    EntryBuilder entry(EntryType::kCategory, bytes);
    entry.U(kFirstOwnCategory + written_categories_).T(category.name.view()).T(kCategoryColors[category.color]);
    (void)stream_.Append(entry.bytes(), MonotonicNs());
  }
  for (; written_subcategories_ < subcategory_count_; ++written_subcategories_) {
    const Subcategory& subcategory = names_->subcategories[written_subcategories_];
    EntryBuilder entry(EntryType::kSubcategory, bytes);
    entry.U(subcategory.category).U(subcategory.number).T(subcategory.name.view());
    (void)stream_.Append(entry.bytes(), MonotonicNs());
  }
  if (written_refused_ == refused_) return;
  written_refused_ = refused_;
  EntryBuilder entry(EntryType::kRefusedCategories, bytes);
  (void)stream_.Append(entry.U(refused_).bytes(), MonotonicNs());
}

void CategoryTable::AfterForkInChild() {
  lock_.ResetInForkedChild();
  serial_ = 0;
}

}  // namespace geckoprof
