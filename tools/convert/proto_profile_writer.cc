#include "tools/convert/proto_profile_writer.h"

#include <algorithm>

namespace geckoprof {
namespace {

constexpr uint64_t kFirstStart = 0x10000;
constexpr uint64_t kPageBytes = 4096;
// No file is larger; an address beyond it is taken for none, so that all libraries fit into 64 bits.
constexpr int64_t kMaxAddress = int64_t{1} << 40;
constexpr size_t kMaxMappings = 1 << 20;

bool HasAddress(const ProfileFrame& frame) {
  return frame.library != kNoRow && frame.address >= 0 && frame.address < kMaxAddress;
}

}  // namespace

LocationTable::LocationTable(const ExportedProfile& profile) : profile_(profile) {
  PlaceMappings();
  const ProfileModel& model = profile.model();
  location_of_stack_.reserve(model.stacks.size());
  caller_of_stack_.reserve(model.stacks.size());
  for (size_t i = 0; i < model.stacks.size(); ++i) {
    const auto stack = static_cast<int32_t>(i);
    const int32_t caller = model.stacks[i].prefix;
    if (profile.IsRoot(stack)) {
      location_of_stack_.push_back(kNoRow);
      caller_of_stack_.push_back(kNoRow);
      continue;
    }
    const bool inlined = IsInlinedInto(stack, caller);
    location_of_stack_.push_back(
        AddLocation(inlined ? location_of_stack_[static_cast<size_t>(caller)] : kNoRow, FrameOf(stack)));
    caller_of_stack_.push_back(inlined ? caller_of_stack_[static_cast<size_t>(caller)] : caller);
  }
}

ProfileFrame LocationTable::FrameOf(int32_t stack) const {
  const ProfileModel& model = profile_.model();
  const ProfileStack& row = model.stacks[static_cast<size_t>(stack)];
  ProfileFrame frame;
  if (row.frame != kNoRow) frame = model.frames[static_cast<size_t>(row.frame)];
  frame.function = row.function;
  return frame;
}

// The program comes first: a reader takes that for the profile's name.
void LocationTable::PlaceMappings() {
  const ProfileModel& model = profile_.model();
  std::vector<int64_t> last(model.libraries.size(), -1);
  for (const ProfileFrame& frame : model.frames) {
    if (frame.library == kNoRow) continue;
    int64_t& most = last[static_cast<size_t>(frame.library)];
    most = std::max(most, HasAddress(frame) ? frame.address : 0);
  }
  std::vector<int32_t> order;
  for (size_t i = 0; i < last.size(); ++i) {
    if (last[i] >= 0 && order.size() < kMaxMappings) order.push_back(static_cast<int32_t>(i));
  }
  const auto program = std::find_if(order.begin(), order.end(), [&](int32_t library) {
    const std::string& name = model.libraries[static_cast<size_t>(library)].name;
    return name == model.product || (!model.processes.empty() && name == model.processes[0].name);
  });
  if (program != order.end()) std::rotate(order.begin(), program, program + 1);
  mapping_of_library_.assign(model.libraries.size(), kNoRow);
  uint64_t start = kFirstStart;
  for (const int32_t library : order) {
    const uint64_t bytes = (static_cast<uint64_t>(last[static_cast<size_t>(library)]) / kPageBytes + 1) * kPageBytes;
    mapping_of_library_[static_cast<size_t>(library)] = static_cast<int32_t>(mappings_.size());
    mappings_.push_back({library, start, start + bytes});
    start += bytes + kPageBytes;
  }
}

bool LocationTable::IsInlinedInto(int32_t stack, int32_t caller) const {
  if (caller == kNoRow || profile_.IsRoot(caller)) return false;
  const ProfileFrame inner = FrameOf(stack), outer = FrameOf(caller);
  return inner.inline_depth > 0 && outer.inline_depth == inner.inline_depth - 1 && inner.library == outer.library &&
         inner.address == outer.address;
}

uint32_t LocationTable::FunctionRow(const ProfileFrame& frame) {
  const auto [entry, added] =
      function_rows_.try_emplace({frame.function, frame.source}, static_cast<uint32_t>(functions_.size()));
  if (added) functions_.push_back({frame.function, frame.source});
  return entry->second;
}

int32_t LocationTable::AddLocation(int32_t outer, const ProfileFrame& frame) {
  ProfileFrame key = frame;
  key.category = kNoRow;  // says nothing of the place
  const auto [entry, added] = location_rows_.try_emplace({outer, key}, static_cast<int32_t>(locations_.size()));
  if (!added) return entry->second;
  Location location;
  if (frame.library != kNoRow) location.mapping = mapping_of_library_[static_cast<size_t>(frame.library)];
  if (location.mapping != kNoRow && HasAddress(frame)) {
    location.address = mappings_[static_cast<size_t>(location.mapping)].start + static_cast<uint64_t>(frame.address);
  }
  location.lines.push_back({FunctionRow(frame), frame.line, frame.column});
  if (outer != kNoRow) {
    const std::vector<Line>& lines = locations_[static_cast<size_t>(outer)].lines;
    location.lines.insert(location.lines.end(), lines.begin(), lines.end());
  }
  locations_.push_back(std::move(location));
  return entry->second;
}

void LocationTable::LocationsOf(int32_t stack, std::vector<uint64_t>* rows) const {
  rows->clear();
  for (int32_t row = stack; row != kNoRow; row = caller_of_stack_[static_cast<size_t>(row)]) {
    const int32_t location = location_of_stack_[static_cast<size_t>(row)];
    if (location != kNoRow) rows->push_back(static_cast<uint64_t>(location));
  }
}

}  // namespace geckoprof
