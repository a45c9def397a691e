#ifndef GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_H_
#define GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_H_

#include <cstdint>
#include <type_traits>

#include "baseprofiler/category.h"
#include "baseprofiler/label_abi.h"
#include "baseprofiler/profiler_label_context.h"

namespace geckoprof::baseprofiler {

// AutoProfilerLabel: a label that is open as long as the object lives. The texts are not copied, and `dynamic` may be
// null. It belongs to the function that the object is made in, and ends on the thread that made it. Context: any,
// signal context included.
class AutoProfilerLabel {
 public:
  // All of it in the function where the object stands, optimised or not: the label's place among the native frames is
  // that function's stack pointer, and so is what tells whatever a longjmp left behind. The object's own address would
  // do for the place, but then the object had to be in memory: with it a hot label costs twice as much.
#define GECKOPROF_IN_PLACE_ __attribute__((always_inline))

  // Whether to open one at all.
  enum class When : uint8_t { kAlways, kWhileActive };

  GECKOPROF_IN_PLACE_ AutoProfilerLabel(const char* label, const char* dynamic, Category category,
                                        When when = When::kAlways)
      : stack_(when == When::kAlways || IsActive() ? geckoprof_base_own_labels() : nullptr) {
    Push(label, dynamic, category);
  }
  // On the thread that the context belongs to. The flags are the original's, and mean nothing without scripts.
  GECKOPROF_IN_PLACE_ AutoProfilerLabel(const ProfilerLabelContext& context, const char* label, const char* dynamic,
                                        Category category, uint32_t /*flags*/ = 0)
      : stack_(context.labels()) {
    Push(label, dynamic, category);
  }
  // Texts that the others do not take.
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
  // Said to be unlikely, so that what opens a hot label lies out of the way of code that opens none.
  GECKOPROF_IN_PLACE_ static bool IsActive() { return __builtin_expect(geckoprof_base_is_active() != 0, 0) != 0; }
  GECKOPROF_IN_PLACE_ void Push(const char* label, const char* dynamic, Category category) {
    if (stack_ != nullptr) depth_ = geckoprof_base_label_push(stack_, label, dynamic, ToCategoryPair(category));
  }

  geckoprof_label_stack* const stack_;  // null: nothing is open
  uint32_t depth_ = 0;
};

}  // namespace geckoprof::baseprofiler

#endif  // GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_H_
