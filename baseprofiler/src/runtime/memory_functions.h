// The memory and string functions that base's own code calls, and that compilers call for it.
//
// Requirement: nobody may stand in front of them. A sanitizer's memcpy refuses to copy what it holds for out of bounds,
// as a sampled stack is, and waits for locks that the interrupted thread may hold; another's needs a thread that libc
// knows, which the sampler's is not. Choice: libbaseprofiler.so has its own, hidden, and imports none. They are short:
// what is copied is either of a few bytes or a stack.
#ifndef GECKOPROF_BASEPROFILER_RUNTIME_MEMORY_FUNCTIONS_H_
#define GECKOPROF_BASEPROFILER_RUNTIME_MEMORY_FUNCTIONS_H_

#include <cstddef>

// As in C (7.24). Threads: any. Context: any, signal context included.
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
