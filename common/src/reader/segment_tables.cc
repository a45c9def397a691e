#include "segment_tables.h"

#include <string>
#include <string_view>

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/base/utf8_repair.h"
#include "geckoprof/labels/category_numbers.h"
#include "geckoprof/reader/block_walk.h"

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
  // The program's own subcategories come after those of the list.
  const size_t listed = profile_.categories[static_cast<size_t>(row)].subcategories.size() - AddedTo(row);
  return {row, number < listed ? static_cast<int32_t>(number) : 0};
}

SegmentTables::SegmentTables(ProcessProfile* profile) : profile_(*profile), categories_(profile) {
  FrameRow root;
  root.kind = FrameKind::kRoot;
  profile_.frames.push_back(root);
  profile_.stacks.push_back({kNone, 0});
}

int32_t SegmentTables::FindString(uint64_t key, std::string_view text) const {
  return strings_.Find(key, [&](int32_t row) { return profile_.strings[static_cast<size_t>(row)] == text; });
}

int32_t SegmentTables::String(std::string_view text) {
  const uint64_t key = MixBits(HashText(text));
  int32_t row = FindString(key, text);
  if (row == kNone) {
    if (!IsUtf8(text)) return String(RepairUtf8(text));  // as it will be written: two may be one then
    row = Text(text);
    strings_.Insert(key, row);
    ++indexed_strings_;
  }
  return row;
}

int32_t SegmentTables::Name(std::string_view name) {
  constexpr size_t kMaxIndexed = size_t{1} << 16;
  if (indexed_strings_ < kMaxIndexed) return String(name);
  const int32_t row = FindString(MixBits(HashText(name)), name);
  return row != kNone ? row : Text(name);
}

int32_t SegmentTables::Text(std::string_view text) {
  if (!IsUtf8(text)) return Text(RepairUtf8(text));
  profile_.strings.push_back(text);
  return static_cast<int32_t>(profile_.strings.size() - 1);
}

int32_t SegmentTables::Bytes(std::span<const uint8_t> bytes) {
  profile_.strings.push_back({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return static_cast<int32_t>(profile_.strings.size() - 1);
}

int32_t SegmentTables::Frame(const FrameRow& frame) {
  const auto low = [](int32_t number) { return uint64_t{static_cast<uint32_t>(number)}; };
  const uint64_t origin = MixBits(low(frame.library) << 32 | low(frame.text));
  const uint64_t what = low(frame.category) << 32 | low(frame.subcategory) << 8 | static_cast<uint64_t>(frame.kind);
  const uint64_t key = MixBits(frame.address + MixBits(origin + what));
  int32_t row = frames_.Find(key, [&](int32_t at) {
    const FrameRow& other = profile_.frames[static_cast<size_t>(at)];
    return other.kind == frame.kind && other.address == frame.address && other.library == frame.library &&
           other.text == frame.text && other.category == frame.category && other.subcategory == frame.subcategory;
  });
  if (row == kNone) {
    row = static_cast<int32_t>(profile_.frames.size());
    profile_.frames.push_back(frame);
    frames_.Insert(key, row);
  }
  return row;
}

int32_t SegmentTables::Stack(int32_t prefix, int32_t frame) {
  const uint64_t key = MixBits(static_cast<uint64_t>(prefix) << 32 | static_cast<uint32_t>(frame));
  int32_t row = stacks_.Find(key, [&](int32_t at) {
    const StackRow& other = profile_.stacks[static_cast<size_t>(at)];
    return other.prefix == prefix && other.frame == frame;
  });
  if (row == kNone) {
    row = static_cast<int32_t>(profile_.stacks.size());
    profile_.stacks.push_back({prefix, frame});
    stacks_.Insert(key, row);
  }
  return row;
}

}  // namespace geckoprof
