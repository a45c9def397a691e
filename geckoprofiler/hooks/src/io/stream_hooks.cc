// Streams of stdio. libc calls the kernel for them without functions that a library could stand in front of. A call of
// a stream counts for its descriptor. Its bytes are those that the program reads or writes, also from the buffer.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/io_hook.h"

extern "C" {
size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* stream);
size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t count, FILE* stream);
char* __fgets_chk(char* to, size_t room, int most, FILE* stream);
char* __fgets_unlocked_chk(char* to, size_t room, int most, FILE* stream);
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments);
int __fprintf_chk(FILE* stream, int flag, const char* format, ...);
int __vprintf_chk(int flag, const char* format, va_list arguments);
int __printf_chk(int flag, const char* format, ...);
int __vdprintf_chk(int fd, int flag, const char* format, va_list arguments);
int __dprintf_chk(int fd, int flag, const char* format, ...);
}

namespace geckoprof {
namespace {

GECKOPROF_IO_HOOK(fopen, "fopen", kNone);
GECKOPROF_IO_HOOK(fopen64, "fopen", kNone);
GECKOPROF_IO_HOOK(freopen, "freopen", kNone);
GECKOPROF_IO_HOOK(freopen64, "freopen", kNone);
GECKOPROF_IO_HOOK(fclose, "fclose", kNone);
GECKOPROF_IO_HOOK(popen, "popen", kNone);
GECKOPROF_IO_HOOK(pclose, "pclose", kNone);
GECKOPROF_IO_HOOK(fflush, "fflush", kNone);
GECKOPROF_IO_HOOK(fflush_unlocked, "fflush", kNone);
GECKOPROF_IO_HOOK(fread, "fread", kIn);
GECKOPROF_IO_HOOK(fread_unlocked, "fread", kIn);
GECKOPROF_IO_HOOK(__fread_chk, "fread", kIn);
GECKOPROF_IO_HOOK(__fread_unlocked_chk, "fread", kIn);
GECKOPROF_IO_HOOK(fwrite, "fwrite", kOut);
GECKOPROF_IO_HOOK(fwrite_unlocked, "fwrite", kOut);
GECKOPROF_IO_HOOK(fgets, "fgets", kIn);
GECKOPROF_IO_HOOK(fgets_unlocked, "fgets", kIn);
GECKOPROF_IO_HOOK(__fgets_chk, "fgets", kIn);
GECKOPROF_IO_HOOK(__fgets_unlocked_chk, "fgets", kIn);
GECKOPROF_IO_HOOK(getline, "getline", kIn);
GECKOPROF_IO_HOOK(getdelim, "getdelim", kIn);
GECKOPROF_IO_HOOK(__getdelim, "getdelim", kIn);
GECKOPROF_IO_HOOK(fputs, "fputs", kOut);
GECKOPROF_IO_HOOK(fputs_unlocked, "fputs", kOut);
GECKOPROF_IO_HOOK(puts, "puts", kOut);
GECKOPROF_IO_HOOK(vfprintf, "fprintf", kOut);
GECKOPROF_IO_HOOK(vprintf, "printf", kOut);
GECKOPROF_IO_HOOK(__vfprintf_chk, "fprintf", kOut);
GECKOPROF_IO_HOOK(__vprintf_chk, "printf", kOut);
GECKOPROF_IO_HOOK(vdprintf, "dprintf", kOut);
GECKOPROF_IO_HOOK(__vdprintf_chk, "dprintf", kOut);
// That of libc, and not base's hook, which prepares the stream for calls of the program's own.
constinit NextFunction<int(FILE*)> g_fileno("fileno", nullptr);

// Returns -1 for a stream without a descriptor. errno stays.
int NumberOf(FILE* stream) {
  auto* const next = g_fileno.get();
  if (stream == nullptr || next == nullptr) return -1;
  const int error = errno;
  const int fd = next(stream);
  errno = error;
  return fd;
}

// Calls the function. `bytes_of` gets its result and returns the number of bytes.
template <typename Signature, typename BytesOf, typename... Arguments>
[[gnu::always_inline]] inline auto CallStream(IoHook<Signature>& hook, FILE* stream, const BytesOf& bytes_of,
                                              Arguments... arguments) {
  const auto note = [&](geckoprof_time start, auto result) {
    const int fd = NumberOf(stream);
    if (fd >= 0) g_io_recorder.NoteDescriptor(hook.function, fd, start, static_cast<int64_t>(bytes_of(result)));
  };
  return CallAndNote(hook, note, arguments...);
}

int64_t Result(int64_t result) { return result; }
int64_t StringBytes(const char* text) { return text != nullptr ? static_cast<int64_t>(strlen(text)) : 0; }
// A call that returns a number of items of this size.
struct ItemBytes {
  size_t size;
  size_t operator()(size_t items) const { return items * size; }
};
// A call that writes the text, and returns a number below 0 if it failed.
struct TextBytes {
  const char* text;
  int64_t operator()(int result) const { return result >= 0 ? StringBytes(text) : 0; }
};

FILE* Opened(FILE* stream) {
  if (stream != nullptr) g_io_recorder.Forget(NumberOf(stream));
  return stream;
}

}  // namespace

void FindNextStreamFunctions() {
  FindAll(g_fileno);
  FindNextOf(g_fopen, g_fopen64, g_freopen, g_freopen64, g_fclose, g_popen, g_pclose, g_fflush, g_fflush_unlocked,
             g_fread, g_fread_unlocked, g___fread_chk, g___fread_unlocked_chk, g_fwrite, g_fwrite_unlocked, g_fgets,
             g_fgets_unlocked, g___fgets_chk, g___fgets_unlocked_chk, g_getline, g_getdelim, g___getdelim, g_fputs,
             g_fputs_unlocked, g_puts, g_vfprintf, g_vprintf, g___vfprintf_chk, g___vprintf_chk, g_vdprintf,
             g___vdprintf_chk);
}

}  // namespace geckoprof

using namespace geckoprof;

GECKOPROF_HOOK FILE* fopen(const char* path, const char* mode) { return Opened(CallPath(g_fopen, path, path, mode)); }
GECKOPROF_HOOK FILE* fopen64(const char* path, const char* mode) {
  return Opened(CallPath(g_fopen64, path, path, mode));
}
GECKOPROF_HOOK FILE* freopen(const char* path, const char* mode, FILE* stream) {
  return Opened(CallClose(g_freopen, NumberOf(stream), path, mode, stream));
}
GECKOPROF_HOOK FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  return Opened(CallClose(g_freopen64, NumberOf(stream), path, mode, stream));
}
GECKOPROF_HOOK int fclose(FILE* stream) { return CallClose(g_fclose, NumberOf(stream), stream); }
GECKOPROF_HOOK FILE* popen(const char* command, const char* mode) {
  return Opened(CallPath(g_popen, command, command, mode));
}
GECKOPROF_HOOK int pclose(FILE* stream) { return CallClose(g_pclose, NumberOf(stream), stream); }
GECKOPROF_HOOK int fflush(FILE* stream) { return CallStream(g_fflush, stream, Result, stream); }
GECKOPROF_HOOK int fflush_unlocked(FILE* stream) { return CallStream(g_fflush_unlocked, stream, Result, stream); }

GECKOPROF_HOOK size_t fread(void* to, size_t size, size_t count, FILE* stream) {
  return CallStream(g_fread, stream, ItemBytes{size}, to, size, count, stream);
}
GECKOPROF_HOOK size_t fread_unlocked(void* to, size_t size, size_t count, FILE* stream) {
  return CallStream(g_fread_unlocked, stream, ItemBytes{size}, to, size, count, stream);
}
GECKOPROF_HOOK size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* stream) {
  return CallStream(g___fread_chk, stream, ItemBytes{size}, to, room, size, count, stream);
}
GECKOPROF_HOOK size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t count, FILE* stream) {
  return CallStream(g___fread_unlocked_chk, stream, ItemBytes{size}, to, room, size, count, stream);
}
GECKOPROF_HOOK size_t fwrite(const void* from, size_t size, size_t count, FILE* stream) {
  return CallStream(g_fwrite, stream, ItemBytes{size}, from, size, count, stream);
}
GECKOPROF_HOOK size_t fwrite_unlocked(const void* from, size_t size, size_t count, FILE* stream) {
  return CallStream(g_fwrite_unlocked, stream, ItemBytes{size}, from, size, count, stream);
}

GECKOPROF_HOOK char* fgets(char* to, int most, FILE* stream) {
  return CallStream(g_fgets, stream, StringBytes, to, most, stream);
}
GECKOPROF_HOOK char* fgets_unlocked(char* to, int most, FILE* stream) {
  return CallStream(g_fgets_unlocked, stream, StringBytes, to, most, stream);
}
GECKOPROF_HOOK char* __fgets_chk(char* to, size_t room, int most, FILE* stream) {
  return CallStream(g___fgets_chk, stream, StringBytes, to, room, most, stream);
}
GECKOPROF_HOOK char* __fgets_unlocked_chk(char* to, size_t room, int most, FILE* stream) {
  return CallStream(g___fgets_unlocked_chk, stream, StringBytes, to, room, most, stream);
}
GECKOPROF_HOOK ssize_t getline(char** to, size_t* room, FILE* stream) {
  return CallStream(g_getline, stream, Result, to, room, stream);
}
GECKOPROF_HOOK ssize_t getdelim(char** to, size_t* room, int end, FILE* stream) {
  return CallStream(g_getdelim, stream, Result, to, room, end, stream);
}
GECKOPROF_HOOK ssize_t __getdelim(char** to, size_t* room, int end, FILE* stream) {
  return CallStream(g___getdelim, stream, Result, to, room, end, stream);
}

GECKOPROF_HOOK int fputs(const char* text, FILE* stream) {
  return CallStream(g_fputs, stream, TextBytes{text}, text, stream);
}
GECKOPROF_HOOK int fputs_unlocked(const char* text, FILE* stream) {
  return CallStream(g_fputs_unlocked, stream, TextBytes{text}, text, stream);
}
GECKOPROF_HOOK int puts(const char* text) {
  const auto bytes = [text](int result) { return result >= 0 ? StringBytes(text) + 1 : 0; };
  return CallStream(g_puts, stdout, bytes, text);
}

GECKOPROF_HOOK int vfprintf(FILE* stream, const char* format, va_list arguments) {
  return CallStream(g_vfprintf, stream, Result, stream, format, arguments);
}
GECKOPROF_HOOK int fprintf(FILE* stream, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = CallStream(g_vfprintf, stream, Result, stream, format, arguments);
  va_end(arguments);
  return result;
}
GECKOPROF_HOOK int vprintf(const char* format, va_list arguments) {
  return CallStream(g_vprintf, stdout, Result, format, arguments);
}
GECKOPROF_HOOK int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = CallStream(g_vprintf, stdout, Result, format, arguments);
  va_end(arguments);
  return result;
}
GECKOPROF_HOOK int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments) {
  return CallStream(g___vfprintf_chk, stream, Result, stream, flag, format, arguments);
}
GECKOPROF_HOOK int __fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = CallStream(g___vfprintf_chk, stream, Result, stream, flag, format, arguments);
  va_end(arguments);
  return result;
}
GECKOPROF_HOOK int __vprintf_chk(int flag, const char* format, va_list arguments) {
  return CallStream(g___vprintf_chk, stdout, Result, flag, format, arguments);
}
GECKOPROF_HOOK int __printf_chk(int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = CallStream(g___vprintf_chk, stdout, Result, flag, format, arguments);
  va_end(arguments);
  return result;
}

GECKOPROF_HOOK int vdprintf(int fd, const char* format, va_list arguments) {
  return CallDescriptor(g_vdprintf, fd, fd, format, arguments);
}
GECKOPROF_HOOK int dprintf(int fd, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = CallDescriptor(g_vdprintf, fd, fd, format, arguments);
  va_end(arguments);
  return result;
}
GECKOPROF_HOOK int __vdprintf_chk(int fd, int flag, const char* format, va_list arguments) {
  return CallDescriptor(g___vdprintf_chk, fd, fd, flag, format, arguments);
}
GECKOPROF_HOOK int __dprintf_chk(int fd, int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = CallDescriptor(g___vdprintf_chk, fd, fd, flag, format, arguments);
  va_end(arguments);
  return result;
}
