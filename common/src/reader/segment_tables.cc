#include "segment_tables.h"

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/base/utf8_repair.h"

namespace geckoprof {

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
