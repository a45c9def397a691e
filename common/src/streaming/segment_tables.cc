#include "segment_tables.h"

namespace geckoprof {
namespace {

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

void IndexMap::Insert(uint64_t key, int32_t row) {
  if (slots_.size() < 2 * (used_ + 1)) Grow();
  size_t at = key & (slots_.size() - 1);
  while (slots_[at].row != kNone) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = {key, row};
  ++used_;
}

void IndexMap::Grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.row != kNone) Insert(slot.key, slot.row);
  }
}

SegmentTables::SegmentTables(ProcessProfile* profile) : profile_(*profile) {
  FrameRow root;
  root.kind = FrameKind::kRoot;
  profile_.frames.push_back(root);
  profile_.stacks.push_back({kNone, 0});
}

int32_t SegmentTables::String(std::string_view text) {
  uint64_t key = 0xcbf29ce484222325u;  // FNV-1a, 64 bits
  for (const char c : text) key = (key ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  key = Mix(key);
  int32_t row = strings_.Find(key, [&](int32_t at) { return profile_.strings[static_cast<size_t>(at)] == text; });
  if (row == kNone) {
    row = static_cast<int32_t>(profile_.strings.size());
    profile_.strings.emplace_back(text);
    strings_.Insert(key, row);
  }
  return row;
}

int32_t SegmentTables::Frame(const FrameRow& frame) {
  const uint64_t small = static_cast<uint64_t>(static_cast<uint32_t>(frame.library)) << 32 |
                         static_cast<uint32_t>(frame.text * 64 + static_cast<int32_t>(frame.kind));
  const uint64_t key =
      Mix(frame.address + Mix(small + static_cast<uint64_t>(frame.category + 1) * 0x9e3779b97f4a7c15u));
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
  const uint64_t key = Mix(static_cast<uint64_t>(prefix) << 32 | static_cast<uint32_t>(frame));
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
