#include "stack_chain.h"

namespace {

// A label of the scope that the object lives in, as AUTO_BASE_PROFILER_LABEL makes it.
class Label {
 public:
  Label(geckoprof::ProfilingStack* labels, const char* text, const char* dynamic = nullptr) : labels_(labels) {
    labels_->Push(text, dynamic, 1u << 8, this);
  }
  ~Label() { labels_->Pop(); }
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;

 private:
  geckoprof::ProfilingStack* const labels_;
};

uint64_t ReturnAddress(void* address) { return reinterpret_cast<uintptr_t>(address); }

__attribute__((noinline)) int Inner(geckoprof::ProfilingStack* labels, StackChainPlaces* places, void (*deepest)(void*),
                                    void* argument) {
  places->in_middle = ReturnAddress(__builtin_return_address(0));
  const Label label(labels, "inner");
  deepest(argument);
  return 1;
}

__attribute__((noinline)) int Middle(geckoprof::ProfilingStack* labels, StackChainPlaces* places,
                                     void (*deepest)(void*), void* argument) {
  places->in_outer = ReturnAddress(__builtin_return_address(0));
  const Label first(labels, "middle 1");
  const Label second(labels, "middle 2", "dynamic");
  return Inner(labels, places, deepest, argument) + 1;
}

}  // namespace

int stack_chain_outer(geckoprof::ProfilingStack* labels, StackChainPlaces* places, void (*deepest)(void*),
                      void* argument) {
  const Label label(labels, "outer");
  return Middle(labels, places, deepest, argument) + 1;
}

void stack_chain_spin(const volatile bool* end) {
  while (!*end) {
  }
}
