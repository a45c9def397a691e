// The order of labels and native frames in one stack.
#ifndef GECKOPROF_UNWIND_LABEL_MERGE_H_
#define GECKOPROF_UNWIND_LABEL_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/labels/profiling_stack.h"
#include "geckoprof/unwind/unwinder.h"

namespace geckoprof {

// Merges native frames (innermost first, as unwound) and open labels (outermost first) into one stack, outermost frame
// first. A label stands in the frame that its stack address lies in:
//
//   high addresses   main            Label A lives in main's frame, so it comes after main and before run.
//                      label A
//                    run
//   low addresses      label B
//
// A label below all frames lies on another stack, as the label of a coroutine that waits. It stands beside the label
// that was opened before it, or before all frames if it is the first.
// `outer` is a stack that the frames do not lie on, and that their stack was entered from. The thread's own stack is
// the outer one of a coroutine's. Labels of the outer stack come before all frames. Labels from `missing_from` on
// come there, too, since the copy of the stack ends below their frames.
//
// Calls add_native(index) and add_label(const Label&) in that order. `Label` has a stack_address. Context: any.
template <typename Label, typename AddNative, typename AddLabel>
void MergeLabels(std::span<const UnwoundFrame> native, std::span<const Label> labels, const AddNative& add_native,
                 const AddLabel& add_label, StackRange outer = {}, uint64_t missing_from = UINT64_MAX) {
  size_t label = 0;
  const uint64_t lowest_frame = native.empty() ? 0 : native.front().cfa_or_sp;
  const auto add_labels_if = [&](const auto& belongs_here) {
    for (; label < labels.size(); ++label) {
      const uint64_t address = labels[label].stack_address;
      if (address >= lowest_frame && !belongs_here(address)) return;
      add_label(labels[label]);
    }
  };
  add_labels_if([&](uint64_t address) { return outer.Contains(address) || address >= missing_from; });
  for (size_t i = native.size(); i-- > 0;) {
    add_native(i);
    add_labels_if([&](uint64_t address) { return address >= native[i].cfa_or_sp; });
  }
  add_labels_if([](uint64_t) { return true; });
}

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_LABEL_MERGE_H_
