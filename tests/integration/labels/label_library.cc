// Labels in a shared library: its literals are gone when it is unloaded.
#include <setjmp.h>

#include "baseprofiler/labels.h"

extern "C" __attribute__((visibility("default"))) int CallFromLibrary(int (*function)(), const char* text) {
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("label library", NETWORK, text);
  return function() + 1;
}

// Leaves its label open.
extern "C" __attribute__((visibility("default"))) void JumpFromLibrary(jmp_buf back) {
  geckoprof_label_stack* const own = geckoprof_base_own_labels();
  if (own != nullptr) geckoprof_base_label_push(own, "label left behind", nullptr, 0x100);
  longjmp(back, 1);
}
