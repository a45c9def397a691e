// The memory and string functions that base calls, directly or through code that the compiler makes.
//
// Requirement: no other library may interpose these functions. The memcpy of a sanitizer refuses to copy a sampled
// stack, which it takes for out of bounds. It also waits for locks that the interrupted thread may hold. Another
// sanitizer's memcpy needs a thread that libc knows, and libc does not know the sampler thread.
//
// Choice: libbaseprofiler.so has hidden functions of its own and imports none. They are short, because base copies
// either a few bytes or a stack.
#ifndef GECKOPROF_BASEPROFILER_RUNTIME_MEMORY_FUNCTIONS_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_MEMORY_FUNCTIONS_H_

#include <cstddef>

// The functions behave as in C (7.24).
//
// Threads: any.
// Context: any, signal context included.
namespace geckoprof::memory {

void* Copy(void* to, const void* from, size_t bytes);
void* Move(void* to, const void* from, size_t bytes);
void* Set(void* to, int value, size_t bytes);
int Compare(const void* a, const void* b, size_t bytes);
const void* Find(const void* in, int value, size_t bytes);
size_t Length(const char* text);
size_t LengthWithin(const char* text, size_t most);
int CompareText(const char* a, const char* b);
const char* FindLast(const char* text, int value);
const char* FindText(const char* in, const char* wanted);

}  // namespace geckoprof::memory

#endif  // GECKOPROF_BASEPROFILER_RUNTIME_MEMORY_FUNCTIONS_H_
