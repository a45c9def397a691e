// Where labels belong among native frames.
#ifndef GECKOPROF_UNWIND_LABEL_MERGE_H_
#define GECKOPROF_UNWIND_LABEL_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/unwind/unwinder.h"

namespace geckoprof {

// One stack, outermost frame first, from native frames (innermost first, as unwound) and open labels (outermost first),
// each of which lies in the frame that its stack address does:
//
//   high addresses   main            label A lives in main's frame, so it comes after main and before run
//                      label A
//                    run
//   low addresses      label B
//
// `outer`: a stack that none of the frames lies on, and that the one of the frames was entered from, as a thread's own
// is to a coroutine's. Its labels come before all frames, and so do those from `missing_from` on, which lie in frames
// that are not there, since the copy of the stack ends below them.
//
// Calls add_native(index) and add_label(const Label&) in that order. `Label` has a stack_address. Context: any.
template <typename Label, typename AddNative, typename AddLabel>
void MergeLabels(std::span<const UnwoundFrame> native, std::span<const Label> labels, const AddNative& add_native,
                 const AddLabel& add_label, StackRange outer = {}, uint64_t missing_from = UINT64_MAX) {
  size_t label = 0;
  const auto is_outer = [&](uint64_t address) { return outer.Holds(address) || address >= missing_from; };
  while (label < labels.size() && is_outer(labels[label].stack_address)) add_label(labels[label++]);
  const auto add_labels_from = [&](uint64_t lowest_address) {
    for (; label < labels.size() && labels[label].stack_address >= lowest_address; ++label) add_label(labels[label]);
  };
  for (size_t i = native.size(); i-- > 0;) {
    add_native(i);
    add_labels_from(native[i].cfa_or_sp);
  }
  add_labels_from(0);
}

// A function that is left by longjmp leaves its labels behind, and the frame of one that opens none may cover their
// place since. Each label keeps 16 bits of the address that its function returns to: where it lies in a frame that
// returns elsewhere, it is of another call, and is taken away. Returns how many labels are left, at the front.
//
// `native`: as above, of a stack whose frames were all found by unwind data, up to the thread's start. Of one that
// somewhere leads to another stack nothing is taken away: a handler's alternate one may lie within a frame. `Label` has
// an `origin`, as a LabelFrame has. Context: any.
template <typename Label>
size_t DropLabelsOfOtherCalls(std::span<const UnwoundFrame> native, std::span<Label> labels) {
  if (labels.empty()) return 0;
  for (size_t i = 1; i < native.size(); ++i) {
    if (native[i].cfa_or_sp < native[i - 1].cfa_or_sp) return labels.size();
  }
  size_t kept = 0;
  size_t frame = native.size();  // the outermost one that the label may lie in, and one more
  for (const Label& label : labels) {
    while (frame > 0 && label.stack_address < native[frame - 1].cfa_or_sp) --frame;
    const bool has_caller = frame > 0 && frame < native.size() && label.stack_address < native[frame].cfa_or_sp;
    if (has_caller && label.origin != 0) {
      // A handler returns to a trampoline, whose address is one more (UnwoundFrame).
      const uint64_t caller = native[frame].address;
      const uint16_t returns_to = LabelFrame::ReturnsTo(label.origin);
      if (static_cast<uint16_t>(caller) != returns_to && static_cast<uint16_t>(caller - 1) != returns_to) continue;
    }
    labels[kept++] = label;
  }
  return kept;
}

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_LABEL_MERGE_H_
