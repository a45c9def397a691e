// A library that brings its own operator new, as libbaseprofiler.so does: its doings, for a test outside.
#ifndef GECKOPROF_TESTS_UNIT_BASEPROFILER_RUNTIME_OPERATOR_NEW_USER_H_
#define GECKOPROF_TESTS_UNIT_BASEPROFILER_RUNTIME_OPERATOR_NEW_USER_H_

#include <stddef.h>
#include <stdint.h>

#define GECKOPROF_TEST_EXPORT extern "C" __attribute__((visibility("default")))

// The forms of new and of delete that it defines.
enum class NewForm { kPlain, kArray, kNothrow };
enum class DeleteForm { kPlain, kArray, kSized, kSizedArray, kNothrow };

GECKOPROF_TEST_EXPORT void* operator_new_user_take(NewForm form, size_t size_bytes);
GECKOPROF_TEST_EXPORT void operator_new_user_give(DeleteForm form, void* block, size_t size_bytes);

// The same block taken from the heap itself.
GECKOPROF_TEST_EXPORT void* operator_new_user_heap_take(size_t size_bytes);
GECKOPROF_TEST_EXPORT void operator_new_user_heap_give(void* block);

// Asks containers for what they would throw at. `kNone`: for what there is.
enum class Wish { kNone, kTooLong, kNullText, kOutOfRange, kNoMemory, kArrayTooLong, kHugeNew, kHugeNothrowNew };
// Whether everything could be had; false: it was given up in the middle.
GECKOPROF_TEST_EXPORT bool operator_new_user_fulfil(Wish wish);

#endif  // GECKOPROF_TESTS_UNIT_BASEPROFILER_RUNTIME_OPERATOR_NEW_USER_H_
