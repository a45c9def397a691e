#include "runtime/memory_functions.h"

#include <cstdint>

#include "geckoprof/arch/instructions.h"

// This file is compiled without builtins. Otherwise a loop could become a call of the function that it is in
// (CMakeLists.txt).
namespace geckoprof::memory {
namespace {

constexpr size_t kShortBytes = 128;  // up to here words are copied; most copies are short

// A word at any address. It may alias an object of any type.
struct [[gnu::packed, gnu::may_alias]] Word {
  uint64_t value;
};

void CopyForward(uint8_t* to, const uint8_t* from, size_t bytes) {
  for (; bytes >= sizeof(Word); bytes -= sizeof(Word), to += sizeof(Word), from += sizeof(Word)) {
    *reinterpret_cast<Word*>(to) = *reinterpret_cast<const Word*>(from);
  }
  for (; bytes > 0; --bytes) *to++ = *from++;
}

}  // namespace

void* Copy(void* to, const void* from, size_t bytes) {
  auto* const target = static_cast<uint8_t*>(to);
  const auto* const source = static_cast<const uint8_t*>(from);
  if (bytes >= sizeof(Word) && bytes <= 2 * sizeof(Word)) {  // most texts; the ranges may overlap
    const Word first = *reinterpret_cast<const Word*>(source);
    const Word last = *reinterpret_cast<const Word*>(source + bytes - sizeof(Word));
    *reinterpret_cast<Word*>(target) = first;
    *reinterpret_cast<Word*>(target + bytes - sizeof(Word)) = last;
  } else if (bytes <= kShortBytes) {
    CopyForward(target, source, bytes);
  } else {
    CopyRepeated(target, source, bytes);
  }
  return to;
}

void* Move(void* to, const void* from, size_t bytes) {
  auto* const target = static_cast<uint8_t*>(to);
  const auto* const source = static_cast<const uint8_t*>(from);
  if (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from) >= bytes) return Copy(to, from, bytes);
  // A target that begins inside the source is filled from its end.
  while (bytes > 0) {
    --bytes;
    target[bytes] = source[bytes];
  }
  return to;
}

void* Set(void* to, int value, size_t bytes) {
  SetRepeated(static_cast<uint8_t*>(to), static_cast<uint8_t>(value), bytes);
  return to;
}

int Compare(const void* a, const void* b, size_t bytes) {
  const auto* const first = static_cast<const uint8_t*>(a);
  const auto* const second = static_cast<const uint8_t*>(b);
  for (size_t i = 0; i < bytes; ++i) {
    if (first[i] != second[i]) return first[i] < second[i] ? -1 : 1;
  }
  return 0;
}

const void* Find(const void* in, int value, size_t bytes) {
  const auto* const from = static_cast<const uint8_t*>(in);
  for (size_t i = 0; i < bytes; ++i) {
    if (from[i] == static_cast<uint8_t>(value)) return from + i;
  }
  return nullptr;
}

size_t Length(const char* text) { return LengthWithin(text, SIZE_MAX); }

size_t LengthWithin(const char* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != '\0') ++length;
  return length;
}

int CompareText(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return static_cast<uint8_t>(*a) - static_cast<uint8_t>(*b);
}

const char* FindLast(const char* text, int value) {
  const char* found = nullptr;
  for (;; ++text) {
    if (*text == static_cast<char>(value)) found = text;
    if (*text == '\0') return found;
  }
}

const char* FindText(const char* in, const char* wanted) {
  const size_t length = Length(wanted);
  if (length == 0) return in;
  for (;; ++in) {
    while (*in != *wanted && *in != '\0') ++in;  // skips most of the text
    size_t same = 0;
    while (same < length && in[same] == wanted[same]) ++same;
    if (same == length) return in;
    if (*in == '\0') return nullptr;
  }
}

}  // namespace geckoprof::memory

#if defined(GECKOPROF_MEMORY_SYMBOLS)  // not defined where these functions are tested
#define GECKOPROF_HIDDEN extern "C" __attribute__((visibility("hidden"), used))

GECKOPROF_HIDDEN void* memcpy(void* to, const void* from, size_t bytes) {
  return geckoprof::memory::Copy(to, from, bytes);
}
GECKOPROF_HIDDEN void* memmove(void* to, const void* from, size_t bytes) {
  return geckoprof::memory::Move(to, from, bytes);
}
GECKOPROF_HIDDEN void* memset(void* to, int value, size_t bytes) { return geckoprof::memory::Set(to, value, bytes); }
GECKOPROF_HIDDEN int memcmp(const void* a, const void* b, size_t bytes) {
  return geckoprof::memory::Compare(a, b, bytes);
}
GECKOPROF_HIDDEN const void* memchr(const void* in, int value, size_t bytes) {
  return geckoprof::memory::Find(in, value, bytes);
}
GECKOPROF_HIDDEN size_t strlen(const char* text) { return geckoprof::memory::Length(text); }
GECKOPROF_HIDDEN size_t strnlen(const char* text, size_t most) { return geckoprof::memory::LengthWithin(text, most); }
GECKOPROF_HIDDEN int strcmp(const char* a, const char* b) { return geckoprof::memory::CompareText(a, b); }
GECKOPROF_HIDDEN const char* strrchr(const char* text, int value) { return geckoprof::memory::FindLast(text, value); }
GECKOPROF_HIDDEN const char* strstr(const char* in, const char* wanted) {
  return geckoprof::memory::FindText(in, wanted);
}
#endif
