#include "geckoprof/unwind/return_sites.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

namespace geckoprof {

const ReturnSite& ReturnSites::At(uint64_t avma) {
  static constexpr ReturnSite kNothing = {};
  // Most words on a stack are small numbers or point into data. They are not cached.
  const ModuleTable::Region* region = modules_.RegionAt(avma - 1);
  if (region == nullptr || !region->executable) return kNothing;
  Known& known = PlaceOf(avma);
  if (known.avma != avma || known.generation != modules_.generation()) {
    known = {avma, modules_.generation(), Read(avma, avma - region->start_avma)};
  }
  return known.site;
}

ReturnSites::Known& ReturnSites::PlaceOf(uint64_t avma) {
  if (!memory_) memory_ = PageMemory::Map(sizeof(Known) << kCacheBits);
  if (!memory_) return last_;
  return reinterpret_cast<Known*>(memory_.data())[(avma * 0x9e3779b97f4a7c15) >> (64 - kCacheBits)];
}

// Reads the code at `avma` and the bytes before it, of which `bytes_before` are there.
ReturnSite ReturnSites::Read(uint64_t avma, uint64_t bytes_before) const {
  ReturnSite site = {};
  std::array<uint8_t, kMaxCallBytes + kReturnSlotBytes> code = {};
  const size_t missing = kMaxCallBytes - std::min<uint64_t>(bytes_before, kMaxCallBytes);
  const size_t end =
      missing + modules_.memory().ReadPrefix(avma - kMaxCallBytes + missing, std::span(code).subspan(missing));
  if (end < kMaxCallBytes) return site;
  uint8_t call[kMaxCallBytes];
  std::memcpy(call, code.data(), sizeof call);
  site.follows_call = EndsWithCall(call);
  site.call_target = DirectCallTarget(call, avma).value_or(0);
  const std::span<const uint8_t> behind(code.data() + kMaxCallBytes, end - kMaxCallBytes);
  site.is_signal_trampoline = IsSignalTrampoline(behind);
  const std::optional<ReturnSlot> slot = FindReturnSlot(behind);
  site.has_return_slot = slot.has_value();
  if (slot) site.return_slot = *slot;
  return site;
}

}  // namespace geckoprof
