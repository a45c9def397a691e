/* Labels, for C and for every version of the C++ headers beside this one. See base_profiler_abi.h for what holds of all
 * functions, and profiling_stack.h for how the bytes are read.
 *
 *   struct geckoprof_label_stack* own = geckoprof_base_own_labels();          may be null
 *   uint32_t depth = own == 0 ? 0 : geckoprof_base_label_push(own, "Load", path, pair);
 *   ...
 *   if (own != 0) geckoprof_base_label_pop(own, depth);                       on the same thread
 *
 * Texts are not copied: they must stay valid and as they are until the label is popped. A pop takes away, too, what was
 * pushed meanwhile and not popped. Signal safe, all of it. */
#ifndef GECKOPROF_BASEPROFILER_LABEL_ABI_H_
#define GECKOPROF_BASEPROFILER_LABEL_ABI_H_

#include <stdint.h>

#include "baseprofiler/marker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct geckoprof_label_frame {
  const char* label;
  const char* dynamic;     /* shown after the label and a space; may be null */
  uintptr_t stack_address; /* in the frame of the function that it belongs to; 0: not complete */
  uint32_t category_pair;  /* category << 8 | subcategory */
  uint32_t origin;         /* which call opened it, and which code: see geckoprof_label_scope; 0: not known */
};

/* Its frames follow. Made by the library, one a thread. */
struct geckoprof_label_stack {
  uint32_t depth;    /* of open labels, which may be more than there are frames */
  uint32_t capacity; /* frames */
  uint64_t reserved0;
  uintptr_t sentinel; /* where the address of the frame before the first would be: the highest there is */
  uint64_t reserved1;
};

/* The calling thread's, or null if it has none yet. */
extern __thread struct geckoprof_label_stack* geckoprof_base_labels
    __attribute__((tls_model("initial-exec"), visibility("default")));

/* The calling thread's, made if there is none. Null: no memory. */
struct geckoprof_label_stack* geckoprof_base_label_stack(void);

/* Where a label is opened. All of it of one function, that which the label belongs to. */
struct geckoprof_label_scope {
  uintptr_t stack_pointer;
  uintptr_t frame_end; /* where its frame ends, and that of its caller is: what lies in between belongs to it alone */
  uint32_t origin;     /* 16 bits of the address that the function returns to, 16 bits of that of the opening code */
  uint32_t reserved;
};

/* What push and pop leave to it: labels nested too deeply, and what a longjmp left behind. */
uint32_t geckoprof_base_label_push_slowly(struct geckoprof_label_stack* stack, const char* label, const char* dynamic,
                                          uint32_t category_pair, const struct geckoprof_label_scope* scope);
void geckoprof_base_label_pop_slowly(struct geckoprof_label_stack* stack, uint32_t depth);

static inline struct geckoprof_label_stack* geckoprof_base_own_labels(void) {
  struct geckoprof_label_stack* const own = geckoprof_base_labels;
  return __builtin_expect(!!own, 1) ? own : geckoprof_base_label_stack();
}

static inline struct geckoprof_label_frame* geckoprof_base_label_frames(struct geckoprof_label_stack* stack) {
  return GECKOPROF_POINTER_TO_(struct geckoprof_label_frame*, stack + 1);
}

#define GECKOPROF_LABEL_CODE_BITS 16

/* Of the function, and of the code, that it is inlined into. */
static inline __attribute__((always_inline)) struct geckoprof_label_scope geckoprof_base_label_scope(void) {
  const uint32_t returns_to = GECKOPROF_TO_(uint32_t, GECKOPROF_POINTER_TO_(uintptr_t, __builtin_return_address(0)));
  const struct geckoprof_label_scope scope = {
      GECKOPROF_POINTER_TO_(uintptr_t, geckoprof_base_stack_pointer()),
      GECKOPROF_POINTER_TO_(uintptr_t, __builtin_dwarf_cfa()),
      returns_to << GECKOPROF_LABEL_CODE_BITS |
          (GECKOPROF_TO_(uint32_t, geckoprof_base_code_address()) & ((1u << GECKOPROF_LABEL_CODE_BITS) - 1)),
      0};
  return scope;
}

/* Whether a label that lies in the frame of a function which opens one was left behind by a longjmp: by another call,
 * which returns elsewhere, or opened by the same code, which cannot come here again before it has closed it. */
static inline __attribute__((always_inline)) int geckoprof_base_label_is_left(const struct geckoprof_label_frame* open,
                                                                              uintptr_t address,
                                                                              struct geckoprof_label_scope scope) {
  const uint32_t origin = __atomic_load_n(&open->origin, __ATOMIC_RELAXED);
  return (origin ^ scope.origin) >> GECKOPROF_LABEL_CODE_BITS != 0 ||
         (origin == scope.origin && address == scope.stack_pointer);
}

/* Whether one of the labels in the frame that opens one may have been left behind, or what is below it. `open`: the
 * innermost label, or the sentinel, which ends the search. */
static inline __attribute__((always_inline)) int geckoprof_base_label_may_be_left(
    const struct geckoprof_label_frame* open, struct geckoprof_label_scope scope) {
  for (;; --open) {
    const uintptr_t address = __atomic_load_n(&open->stack_address, __ATOMIC_RELAXED);
    if (__builtin_expect(address >= scope.frame_end, 1)) return 0;
    if (address < scope.stack_pointer || geckoprof_base_label_is_left(open, address, scope)) return 1;
  }
}

/* Not the quick way. Out of it, so that there the scope is in no memory; in C, where a compiler may warn of an inline
 * function that is none, if it likes. `pair_and_origin`: both in one, since a seventh argument lies on the stack, and
 * then the compiler gives the caller a frame pointer, which the stack of a thread that sleeps is unwound without. */
#ifdef __cplusplus
__attribute__((noinline))
#endif
static inline __attribute__((cold)) uint32_t
geckoprof_base_label_push_otherwise(struct geckoprof_label_stack* stack, const char* label, const char* dynamic,
                                    uint64_t pair_and_origin, uintptr_t stack_pointer, uintptr_t frame_end) {
  const struct geckoprof_label_scope scope = {stack_pointer, frame_end, GECKOPROF_TO_(uint32_t, pair_and_origin), 0};
  return geckoprof_base_label_push_slowly(stack, label, dynamic, GECKOPROF_TO_(uint32_t, pair_and_origin >> 32),
                                          &scope);
}

/* Belongs to the function that it is inlined into. Returns what the pop wants. What a push in a loop opened must be
 * popped before its next turn: else that takes it for what a longjmp left behind. */
static inline __attribute__((always_inline)) uint32_t geckoprof_base_label_push(struct geckoprof_label_stack* stack,
                                                                                const char* label, const char* dynamic,
                                                                                uint32_t category_pair) {
  const uint32_t depth = __atomic_load_n(&stack->depth, __ATOMIC_RELAXED);
  struct geckoprof_label_frame* const frame = geckoprof_base_label_frames(stack) + depth;
  const struct geckoprof_label_scope scope = geckoprof_base_label_scope();
  if (__builtin_expect(depth >= stack->capacity, 0) ||
      __builtin_expect(geckoprof_base_label_may_be_left(frame - 1, scope), 0)) {
    return geckoprof_base_label_push_otherwise(stack, label, dynamic,
                                               GECKOPROF_TO_(uint64_t, category_pair) << 32 | scope.origin,
                                               scope.stack_pointer, scope.frame_end);
  }
  __atomic_store_n(&stack->depth, depth + 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&frame->label, label, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->dynamic, dynamic, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->category_pair, category_pair, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->origin, scope.origin, __ATOMIC_RELAXED);
  __atomic_store_n(&frame->stack_address, scope.stack_pointer, __ATOMIC_RELEASE);
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
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the texts may go now, not before */
}

/* Whether a recording goes on, paused or not: a relaxed load. Signal safe. */
static inline int geckoprof_base_is_active(void) {
  return __atomic_load_n(&geckoprof_base_words_address()->state, __ATOMIC_RELAXED) != 0;
}

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_LABEL_ABI_H_ */
