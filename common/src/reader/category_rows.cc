#include "category_rows.h"

#include <string>
#include <string_view>

#include "block_walk.h"
#include "geckoprof/base/hash_mix.h"
#include "geckoprof/labels/category_numbers.h"

namespace geckoprof {
namespace {

// The viewer's default for a name that it does not know, too.
constexpr std::string_view kNoColor = "grey";

bool IsName(std::string_view name) { return !name.empty() && name.size() <= kMaxCategoryNameBytes; }

}  // namespace

int32_t CategoryRows::FindRow(uint64_t number) const {
  if (number < profile_.categories.size() - added_) return static_cast<int32_t>(number);
  return IsOwnCategory(static_cast<uint32_t>(number)) ? categories_.Find(MixBits(number)) : kNone;
}

size_t CategoryRows::AddedTo(int32_t row) const {
  return static_cast<size_t>(row) < added_subcategories_.size() ? added_subcategories_[static_cast<size_t>(row)] : 0;
}

bool CategoryRows::ReadCategory(Leb128Reader& reader) {
  const uint64_t number = reader.Uleb();
  const std::string_view name = ReadText(reader);
  const std::string_view color = ReadText(reader);
  if (!reader.ok() || number > UINT32_MAX || !IsOwnCategory(static_cast<uint32_t>(number)) || !IsName(name) ||
      FindRow(number) != kNone) {
    return false;
  }
  categories_.Insert(MixBits(number), static_cast<int32_t>(profile_.categories.size()));
  profile_.categories.push_back(
      {std::string(name), std::string(IsCategoryColor(color) ? color : kNoColor), {std::string(kOnlyOther[0])}});
  ++added_;
  return true;
}

bool CategoryRows::ReadSubcategory(Leb128Reader& reader) {
  const uint64_t category = reader.Uleb();
  const uint64_t number = reader.Uleb();
  const std::string_view name = ReadText(reader);
  const int32_t row = category > UINT32_MAX ? kNone : FindRow(category);
  const uint64_t key = MixBits(category << 8 | (number & 0xff));
  if (!reader.ok() || row == kNone || number < kFirstOwnSubcategory ||
      number >= kFirstOwnSubcategory + kMaxOwnSubcategories || !IsName(name) || subcategories_.Find(key) != kNone) {
    return false;
  }
  auto& subcategories = profile_.categories[static_cast<size_t>(row)].subcategories;
  subcategories_.Insert(key, static_cast<int32_t>(subcategories.size()));
  added_subcategories_.resize(profile_.categories.size());
  ++added_subcategories_[static_cast<size_t>(row)];
  subcategories.emplace_back(name);
  return true;
}

bool CategoryRows::ReadRefused(Leb128Reader& reader) {
  const uint64_t count = reader.Uleb();
  if (reader.ok() && count > refused_) refused_ = count;
  return reader.ok();
}

CategoryRows::Place CategoryRows::Find(uint64_t pair) const {
  const int32_t row = pair > UINT32_MAX ? kNone : FindRow(pair >> 8);
  if (row == kNone) return {};
  const uint64_t number = pair & 0xff;
  if (number >= kFirstOwnSubcategory) {
    const int32_t found = subcategories_.Find(MixBits(pair));
    return {row, found == kNone ? 0 : found};
  }
  // What the program added stands behind those of the list.
  const size_t listed = profile_.categories[static_cast<size_t>(row)].subcategories.size() - AddedTo(row);
  return {row, number < listed ? static_cast<int32_t>(number) : 0};
}

}  // namespace geckoprof
