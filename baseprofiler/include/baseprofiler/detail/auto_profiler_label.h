#ifndef GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_H_
#define GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_H_

#include <cstdint>
#include <type_traits>

#include "baseprofiler/category.h"
#include "baseprofiler/enabled.h"
#include "baseprofiler/label_abi.h"
#include "baseprofiler/profiler_label_context.h"

namespace geckoprof::baseprofiler {

// AutoProfilerLabel: a label that is open while the object lives. The texts are not copied, and `dynamic` may be null.
// The label belongs to the function that makes the object, and it ends on the thread that made it.
// Context: any, signal context included.
class AutoProfilerLabel {
 public:
  // The code is inlined into the function where the object stands, optimised or not. The label's address is therefore
  // the stack pointer of that function. The object's own address would force the object into memory, and a hot label
  // would cost twice as much.
#define GECKOPROF_IN_PLACE_ GECKOPROF_ATTRIBUTE_(always_inline)

  // kWhileActive opens no label while the profiler is inactive.
  enum class When : uint8_t { kAlways, kWhileActive };

  GECKOPROF_IN_PLACE_ AutoProfilerLabel(const char* label, const char* dynamic, Category category,
                                        When when = When::kAlways)
      : stack_(when == When::kAlways || IsActive() ? geckoprof_base_own_labels() : nullptr) {
    Push(label, dynamic, category);
  }
  // The context belongs to the calling thread. The flags are Firefox's, and mean nothing without scripts.
  GECKOPROF_IN_PLACE_ AutoProfilerLabel(const ProfilerLabelContext& context, const char* label, const char* dynamic,
                                        Category category, uint32_t /*flags*/ = 0)
      : stack_(context.labels()) {
    Push(label, dynamic, category);
  }
  // Refuses texts that the other constructors do not take.
  template <typename Label, typename Dynamic, typename... Rest>
  requires(!std::is_convertible_v<Label, const char*> || !std::is_convertible_v<Dynamic, const char*>)
      AutoProfilerLabel(const Label&, const Dynamic&, Category, Rest...)
      : stack_(nullptr) {
    static_assert(sizeof(Label) == 0,
                  "a label and its text are const char* that live as long: AUTO_PROFILER_LABEL_DYNAMIC_STRING copies");
  }
  GECKOPROF_IN_PLACE_ ~AutoProfilerLabel() {
    if (stack_ != nullptr) geckoprof_base_label_pop(stack_, depth_);
  }
  AutoProfilerLabel(const AutoProfilerLabel&) = delete;
  AutoProfilerLabel& operator=(const AutoProfilerLabel&) = delete;

 private:
  // The hint makes the compiler place the code that opens a hot label out of line.
  GECKOPROF_IN_PLACE_ static bool IsActive() { return GECKOPROF_UNLIKELY_(geckoprof_base_is_active() != 0); }
  GECKOPROF_IN_PLACE_ void Push(const char* label, const char* dynamic, Category category) {
    if (stack_ != nullptr) depth_ = geckoprof_base_label_push(stack_, label, dynamic, ToCategoryPair(category));
  }

  geckoprof_label_stack* const stack_;  // Null: no label is open.
  uint32_t depth_ = 0;
};

}  // namespace geckoprof::baseprofiler

#endif  // GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_H_
