// For base under TSan: the functions of libc that base calls and that the sanitizer stands in front of. The sanitizer's
// keep state in thread-local memory, which the sampler thread does not have. Linked into base, they are found first.
#include <cstddef>

#include "geckoprof/base/raw_syscall.h"

using Byte = unsigned char;

extern "C" {

int clock_gettime(int clock, void* time) {
  return static_cast<int>(geckoprof::RawSyscall(SYS_clock_gettime, clock, time));
}

void* memcpy(void* to, const void* from, size_t size) {
  for (size_t i = 0; i < size; ++i) static_cast<Byte*>(to)[i] = static_cast<const Byte*>(from)[i];
  return to;
}
void* memmove(void* to, const void* from, size_t size) {
  if (to <= from) return memcpy(to, from, size);
  while (size-- > 0) static_cast<Byte*>(to)[size] = static_cast<const Byte*>(from)[size];
  return to;
}
void* memset(void* to, int value, size_t size) {
  for (size_t i = 0; i < size; ++i) static_cast<Byte*>(to)[i] = static_cast<Byte>(value);
  return to;
}
int memcmp(const void* one, const void* other, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const int difference = static_cast<const Byte*>(one)[i] - static_cast<const Byte*>(other)[i];
    if (difference != 0) return difference;
  }
  return 0;
}
void* memchr(const void* bytes, int value, size_t size) {
  const auto* at = static_cast<const Byte*>(bytes);
  for (; size > 0; --size, ++at) {
    if (*at == static_cast<Byte>(value)) return const_cast<Byte*>(at);
  }
  return nullptr;
}
size_t strnlen(const char* text, size_t most) {
  size_t size = 0;
  while (size < most && text[size] != '\0') ++size;
  return size;
}
size_t strlen(const char* text) { return strnlen(text, static_cast<size_t>(-1)); }
int strcmp(const char* one, const char* other) {
  for (; *one != '\0' && *one == *other; ++one, ++other) {
  }
  return static_cast<Byte>(*one) - static_cast<Byte>(*other);
}
char* strrchr(const char* text, int value) {
  for (size_t i = strlen(text) + 1; i-- > 0;) {
    if (text[i] == static_cast<char>(value)) return const_cast<char*>(text + i);
  }
  return nullptr;
}
char* strstr(const char* text, const char* part) {
  const size_t size = strlen(part);
  for (size_t left = strlen(text); left >= size; --left, ++text) {
    if (memcmp(text, part, size) == 0) return const_cast<char*>(text);
  }
  return nullptr;
}

}  // extern "C"
