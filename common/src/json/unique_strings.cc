#include "geckoprof/json/unique_strings.h"

#include <algorithm>
#include <cstring>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {
namespace {

constexpr size_t kFirstSlots = 64;

// Multiplies and folds eight bytes at a time. The finaliser spreads the high bits, because slots use the low ones.
uint32_t HashOf(std::string_view text) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: odd, bits without a pattern
  uint64_t hash = text.size() * kFactor;
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  }
  uint64_t tail = 0;
  if (i < text.size()) std::memcpy(&tail, text.data() + i, text.size() - i);
  hash = (hash ^ tail) * kFactor;
  hash ^= hash >> 29;
  hash *= kFactor;
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

UniqueStrings::UniqueStrings() : slots_(kFirstSlots, 0) {}

uint32_t UniqueStrings::Intern(std::string_view text) {
  const uint32_t hash = HashOf(text);
  size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    const uint32_t number = slots_[slot] - 1;
    if (hashes_[number] == hash && At(number) == text) return number;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  const uint32_t number = size();
  slots_[slot] = number + 1;
  bytes_.append(text);
  ends_.push_back(bytes_.size());
  hashes_.push_back(hash);
  if (ends_.size() * 2 > slots_.size()) Grow();
  return number;
}

std::string_view UniqueStrings::At(uint32_t index) const {
  const size_t start = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(bytes_).substr(start, ends_[index] - start);
}

void UniqueStrings::Clear() {
  bytes_.clear();
  ends_.clear();
  hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
}

void UniqueStrings::WriteArray(JsonWriter& writer) const {
  writer.StartArray();
  for (uint32_t i = 0; i < size(); ++i) writer.String(At(i));
  writer.EndArray();
}

void UniqueStrings::Grow() {
  std::vector<uint32_t> slots(slots_.size() * 2, 0);
  for (uint32_t number = 0; number < size(); ++number) {
    size_t slot = hashes_[number] & (slots.size() - 1);
    while (slots[slot] != 0) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = number + 1;
  }
  slots_.swap(slots);
}

}  // namespace geckoprof
