// Where labels belong among native frames.
#ifndef GECKOPROF_UNWIND_LABEL_MERGE_H_
#define GECKOPROF_UNWIND_LABEL_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <span>

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
// Calls add_native(index) and add_label(const Label&) in that order. `Label` has a stack_address. Context: any.
template <typename Label, typename AddNative, typename AddLabel>
void MergeLabels(std::span<const UnwoundFrame> native, std::span<const Label> labels, const AddNative& add_native,
                 const AddLabel& add_label) {
  size_t label = 0;
  const auto add_labels_from = [&](uint64_t lowest_address) {
    for (; label < labels.size() && labels[label].stack_address >= lowest_address; ++label) add_label(labels[label]);
  };
  for (size_t i = native.size(); i-- > 0;) {
    add_native(i);
    add_labels_from(native[i].cfa_or_sp);
  }
  add_labels_from(0);
}

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_LABEL_MERGE_H_
