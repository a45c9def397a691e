/* Labels, for C and for every version of the C++ headers beside this one. base_profiler_abi.h says which rules all
 * functions share. profiling_stack.h says how the bytes are read.
 *
 *   struct geckoprof_label_stack* own = geckoprof_base_own_labels();          may be null
 *   uint32_t depth = own == 0 ? 0 : geckoprof_base_label_push(own, "Load", path, pair);
 *   ...
 *   if (own != 0) geckoprof_base_label_pop(own, depth);                       on the same thread
 *
 * Texts are not copied. They must stay valid and unchanged until the label is popped. A pop restores the depth from
 * before its push, so it also closes the labels that were pushed in between. All functions are signal safe. */
#ifndef GECKOPROF_BASEPROFILER_LABEL_ABI_H_
#define GECKOPROF_BASEPROFILER_LABEL_ABI_H_

#include <stdint.h>

#include "baseprofiler/c/geckoprof_functions.h"
#include "baseprofiler/marker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct geckoprof_label_frame {
  const char* label;
  const char* dynamic;    /* shown after the label and a space; may be null */
  uint32_t category_pair; /* category << 8 | subcategory */
  uint32_t reserved;
  uintptr_t stack_address; /* in the frame of the function that the label belongs to; 0: the entry is not complete */
};

/* The frames follow it. The library makes one for each thread. */
struct geckoprof_label_stack {
  uint32_t depth;     /* of open labels, which may be more than there are frames */
  uint32_t capacity;  /* frames */
  uintptr_t sentinel; /* the highest address, where the frame before the first would have its address */
};

#if GECKOPROF_IS_ENABLED_

/* The labels of the calling thread. Null: it has none yet. */
extern __thread struct geckoprof_label_stack* geckoprof_base_labels
    __attribute__((tls_model("initial-exec"), visibility("default")));

/* Returns the labels of the calling thread, and makes them if there are none. Null: there is no memory. */
struct geckoprof_label_stack* geckoprof_base_label_stack(void);

/* Push and pop leave rare cases to these two: labels that nest too deeply, and stale entries (profiling_stack.h).
 * `stack_pointer` is the caller's. */
uint32_t geckoprof_base_label_push_slowly(struct geckoprof_label_stack* stack, const char* label, const char* dynamic,
                                          uint32_t category_pair, const void* stack_pointer);
void geckoprof_base_label_pop_slowly(struct geckoprof_label_stack* stack, uint32_t depth);

static inline struct geckoprof_label_stack* geckoprof_base_own_labels(void) {
  struct geckoprof_label_stack* const own = geckoprof_base_labels;
  return __builtin_expect(!!own, 1) ? own : geckoprof_base_label_stack();
}

static inline struct geckoprof_label_frame* geckoprof_base_label_frames(struct geckoprof_label_stack* stack) {
  return GECKOPROF_POINTER_TO_(struct geckoprof_label_frame*, stack + 1);
}

/* The label belongs to the function that this is inlined into. Returns the depth for the pop. An innermost entry below
 * the stack pointer is stale, unless it lies on another stack. The library decides that. */
static inline __attribute__((always_inline)) uint32_t geckoprof_base_label_push(struct geckoprof_label_stack* stack,
                                                                                const char* label, const char* dynamic,
                                                                                uint32_t category_pair) {
  const uint32_t depth = __atomic_load_n(&stack->depth, __ATOMIC_RELAXED);
  struct geckoprof_label_frame* const frame = geckoprof_base_label_frames(stack) + depth;
  const void* const stack_pointer = geckoprof_base_stack_pointer();
  const uintptr_t stack_address = GECKOPROF_POINTER_TO_(uintptr_t, stack_pointer);
  if (__builtin_expect(depth >= stack->capacity, 0) ||
      __builtin_expect(__atomic_load_n(&(frame - 1)->stack_address, __ATOMIC_RELAXED) < stack_address, 0)) {
    return geckoprof_base_label_push_slowly(stack, label, dynamic, category_pair, stack_pointer);
  }
  __atomic_store_n(&stack->depth, depth + 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&frame->label, label, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->dynamic, dynamic, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->category_pair, category_pair, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->stack_address, stack_address, __ATOMIC_RELEASE);
  return depth;
}

static inline __attribute__((always_inline)) void geckoprof_base_label_pop(struct geckoprof_label_stack* stack,
                                                                           uint32_t depth) {
  if (__builtin_expect(__atomic_load_n(&stack->depth, __ATOMIC_RELAXED) != depth + 1 || depth >= stack->capacity, 0)) {
    geckoprof_base_label_pop_slowly(stack, depth);
    return;
  }
  __atomic_store_n(&geckoprof_base_label_frames(stack)[depth].stack_address, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&stack->depth, depth, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* The program may free the texts now, not before. */
}

/* Returns 1 while the profiler is active, paused or not. It is a relaxed load. */
static inline int geckoprof_base_is_active(void) {
  return __atomic_load_n(&geckoprof_base_words_address()->state, __ATOMIC_RELAXED) != 0;
}

#else

/* No thread has labels. */
static inline struct geckoprof_label_stack* geckoprof_base_own_labels(void) { return NULL; }
static inline uint32_t geckoprof_base_label_push(struct geckoprof_label_stack* stack, const char* label,
                                                 const char* dynamic, uint32_t category_pair) {
  (void)stack, (void)label, (void)dynamic, (void)category_pair;
  return 0;
}
static inline void geckoprof_base_label_pop(struct geckoprof_label_stack* stack, uint32_t depth) {
  (void)stack, (void)depth;
}
static inline int geckoprof_base_is_active(void) { return 0; }

#endif /* GECKOPROF_IS_ENABLED_ */

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_LABEL_ABI_H_ */
