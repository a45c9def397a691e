#include "stack_reader.h"

#include <algorithm>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/stack_reason.h"

namespace geckoprof {

LibraryFinder::LibraryFinder(const std::vector<LibraryRow>& libraries) : libraries_(libraries) {
  for (size_t i = 0; i < libraries.size(); ++i) {
    if (libraries[i].start_avma >= libraries[i].end_avma) continue;
    bounds_.push_back(libraries[i].start_avma);
    bounds_.push_back(libraries[i].end_avma);
    by_mapping_.push_back(static_cast<int32_t>(i));
  }
  std::sort(bounds_.begin(), bounds_.end());
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  nodes_.resize(2 * bounds_.size());
  std::sort(by_mapping_.begin(), by_mapping_.end(), [&](int32_t a, int32_t b) {
    return libraries_[static_cast<size_t>(a)].mapped_ns < libraries_[static_cast<size_t>(b)].mapped_ns;
  });
}

void LibraryFinder::MoveTo(int64_t begin_ns, int64_t last_ns) {
  begin_ns_ = std::max(begin_ns_, begin_ns);
  while (entered_ < by_mapping_.size() && libraries_[static_cast<size_t>(by_mapping_[entered_])].mapped_ns <= last_ns) {
    Enter(by_mapping_[entered_++]);
  }
}

bool LibraryFinder::IsGone(int32_t row) const {
  const int64_t unmapped_ns = libraries_[static_cast<size_t>(row)].unmapped_ns;
  return unmapped_ns != 0 && unmapped_ns <= begin_ns_;
}

void LibraryFinder::Enter(int32_t row) {
  const LibraryRow& library = libraries_[static_cast<size_t>(row)];
  const auto stretch = [&](uint64_t address) {
    return static_cast<size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), address) - bounds_.begin());
  };
  const auto add = [&](size_t node) {
    nodes_[node].push_back(row);
    std::push_heap(nodes_[node].begin(), nodes_[node].end());
  };
  // The loop goes from the leaves up. A border that is a right (left) child is entered itself, because its parent
  // reaches too far.
  size_t from = bounds_.size() + stretch(library.start_avma);
  size_t to = bounds_.size() + stretch(library.end_avma);
  for (; from < to; from /= 2, to /= 2) {
    if (from % 2 == 1) add(from++);
    if (to % 2 == 1) add(--to);
  }
}

int32_t LibraryFinder::At(uint64_t address) {
  const auto above = std::upper_bound(bounds_.begin(), bounds_.end(), address);
  if (above == bounds_.begin() || above == bounds_.end()) return kNone;
  int32_t found = kNone;
  const size_t leaf = bounds_.size() + static_cast<size_t>(above - bounds_.begin()) - 1;
  for (size_t node = leaf; node > 0; node /= 2) {
    std::vector<int32_t>& heap = nodes_[node];
    while (!heap.empty() && IsGone(heap.front())) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    if (!heap.empty()) found = std::max(found, heap.front());
  }
  return found;
}

bool StackReader::ReadFrame(Leb128Reader& reader, Node& node, int64_t exact_ns) {
  const uint64_t word = reader.Uleb();
  FrameRow frame;
  switch (static_cast<StackFrameKind>(word & 3)) {
    case StackFrameKind::kNative:
      node.address += static_cast<uint64_t>(FromZigzag(word >> 2));
      frame.kind = FrameKind::kInstruction;
      frame.address = node.address;
      frame.library = LibraryAt(node.address, exact_ns);
      break;
    case StackFrameKind::kLabel:
    case StackFrameKind::kInlineLabel:
      if (!ReadLabel(word, reader, frame)) return false;
      break;
    case StackFrameKind::kReason:
      frame.kind = FrameKind::kReason;
      frame.text = tables_.String(StackReasonText(word >> 2));
      break;
  }
  if (!reader.ok()) return false;
  node.stack = tables_.Stack(node.stack, tables_.Frame(frame));
  return true;
}

bool StackReader::ReadLabel(uint64_t word, Leb128Reader& reader, FrameRow& frame) {
  frame.kind = FrameKind::kLabel;
  if (static_cast<StackFrameKind>(word & 3) == StackFrameKind::kLabel) {
    frame.text = metadata_.InternedString(word >> 2);
    if (frame.text == kNone) frame.text = tables_.String("(label unknown)");  // no room for its metadata
  } else {
    const std::span<const uint8_t> text = reader.Bytes(word >> 2);
    frame.text = tables_.String({reinterpret_cast<const char*>(text.data()), text.size()});
  }
  const uint64_t pair = reader.Uleb();
  if (!reader.ok()) return false;
  const CategoryRows::Place place = tables_.categories().Find(pair);
  frame.category = place.category;
  frame.subcategory = place.subcategory;
  return true;
}

int32_t StackReader::LibraryAt(uint64_t address, int64_t exact_ns) {
  int32_t found = libraries_.At(address);
  if (found == kNone) found = noticed_later_.At(address);
  const auto is_there = [&](const LibraryRow& library) {
    return address >= library.start_avma && address < library.end_avma && library.mapped_ns <= exact_ns &&
           (library.unmapped_ns == 0 || exact_ns < library.unmapped_ns);
  };
  if (exact_ns == kAnyTime || found == kNone || is_there(profile_.libraries[static_cast<size_t>(found)])) return found;
  for (size_t i = 0; i < profile_.libraries.size(); ++i) {
    if (is_there(profile_.libraries[i])) return static_cast<int32_t>(i);
  }
  return found;  // one that was noticed later than it was used
}

}  // namespace geckoprof
