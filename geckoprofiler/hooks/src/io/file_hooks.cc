// Calls with a path, and folders.
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_hook.h"

extern "C" {
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int folder, const char* path, int flags);
int __openat64_2(int folder, const char* path, int flags);
int __xstat(int version, const char* path, struct stat* out);
int __xstat64(int version, const char* path, struct stat64* out);
int __lxstat(int version, const char* path, struct stat* out);
int __lxstat64(int version, const char* path, struct stat64* out);
int __fxstatat(int version, int folder, const char* path, struct stat* out, int flags);
int __fxstatat64(int version, int folder, const char* path, struct stat64* out, int flags);
ssize_t __readlink_chk(const char* path, char* to, size_t bytes, size_t room);
ssize_t __readlinkat_chk(int folder, const char* path, char* to, size_t bytes, size_t room);
}

namespace geckoprof {
namespace {

GECKOPROF_IO_HOOK(open, "open", kNone);
GECKOPROF_IO_HOOK(open64, "open", kNone);
GECKOPROF_IO_HOOK(openat, "openat", kNone);
GECKOPROF_IO_HOOK(openat64, "openat", kNone);
GECKOPROF_IO_HOOK(creat, "creat", kNone);
GECKOPROF_IO_HOOK(creat64, "creat", kNone);
GECKOPROF_IO_HOOK(__open_2, "open", kNone);
GECKOPROF_IO_HOOK(__open64_2, "open", kNone);
GECKOPROF_IO_HOOK(__openat_2, "openat", kNone);
GECKOPROF_IO_HOOK(__openat64_2, "openat", kNone);
GECKOPROF_IO_HOOK(stat, "stat", kNone);
GECKOPROF_IO_HOOK(stat64, "stat", kNone);
GECKOPROF_IO_HOOK(lstat, "lstat", kNone);
GECKOPROF_IO_HOOK(lstat64, "lstat", kNone);
GECKOPROF_IO_HOOK(fstatat, "fstatat", kNone);
GECKOPROF_IO_HOOK(fstatat64, "fstatat", kNone);
GECKOPROF_IO_HOOK(statx, "statx", kNone);
GECKOPROF_IO_HOOK(__xstat, "stat", kNone);
GECKOPROF_IO_HOOK(__xstat64, "stat", kNone);
GECKOPROF_IO_HOOK(__lxstat, "lstat", kNone);
GECKOPROF_IO_HOOK(__lxstat64, "lstat", kNone);
GECKOPROF_IO_HOOK(__fxstatat, "fstatat", kNone);
GECKOPROF_IO_HOOK(__fxstatat64, "fstatat", kNone);
GECKOPROF_IO_HOOK(access, "access", kNone);
GECKOPROF_IO_HOOK(faccessat, "faccessat", kNone);
GECKOPROF_IO_HOOK(rename, "rename", kNone);
GECKOPROF_IO_HOOK(renameat, "renameat", kNone);
GECKOPROF_IO_HOOK(renameat2, "renameat2", kNone);
GECKOPROF_IO_HOOK(unlink, "unlink", kNone);
GECKOPROF_IO_HOOK(unlinkat, "unlinkat", kNone);
GECKOPROF_IO_HOOK(remove, "remove", kNone);
GECKOPROF_IO_HOOK(mkdir, "mkdir", kNone);
GECKOPROF_IO_HOOK(mkdirat, "mkdirat", kNone);
GECKOPROF_IO_HOOK(rmdir, "rmdir", kNone);
GECKOPROF_IO_HOOK(link, "link", kNone);
GECKOPROF_IO_HOOK(symlink, "symlink", kNone);
GECKOPROF_IO_HOOK(readlink, "readlink", kNone);
GECKOPROF_IO_HOOK(__readlink_chk, "readlink", kNone);
GECKOPROF_IO_HOOK(readlinkat, "readlinkat", kNone);
GECKOPROF_IO_HOOK(__readlinkat_chk, "readlinkat", kNone);
GECKOPROF_IO_HOOK(truncate, "truncate", kNone);
GECKOPROF_IO_HOOK(truncate64, "truncate", kNone);
GECKOPROF_IO_HOOK(opendir, "opendir", kNone);
GECKOPROF_IO_HOOK(readdir, "readdir", kNone);
GECKOPROF_IO_HOOK(readdir64, "readdir", kNone);
GECKOPROF_IO_HOOK(closedir, "closedir", kNone);

// The mode of a file that may be made. The caller passes it only then.
mode_t ModeIn(int flags, va_list& list) {
  const bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(list, mode_t) : 0;
}

[[gnu::noinline]] int NumberOf(DIR* folder) { return folder != nullptr ? dirfd(folder) : -1; }

}  // namespace

void FindNextFileFunctions() {
  FindNextOf(g_open, g_open64, g_openat, g_openat64, g_creat, g_creat64, g___open_2, g___open64_2, g___openat_2,
             g___openat64_2, g_stat, g_stat64, g_lstat, g_lstat64, g_fstatat, g_fstatat64, g_statx, g___xstat,
             g___xstat64, g___lxstat, g___lxstat64, g___fxstatat, g___fxstatat64, g_access, g_faccessat, g_rename,
             g_renameat, g_renameat2, g_unlink, g_unlinkat, g_remove, g_mkdir, g_mkdirat, g_rmdir, g_link, g_symlink,
             g_readlink, g___readlink_chk, g_readlinkat, g___readlinkat_chk, g_truncate, g_truncate64, g_opendir,
             g_readdir, g_readdir64, g_closedir);
}

}  // namespace geckoprof

using namespace geckoprof;

GECKOPROF_HOOK int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeIn(flags, list);
  va_end(list);
  return CallOpen(g_open, path, path, flags, mode);
}
GECKOPROF_HOOK int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeIn(flags, list);
  va_end(list);
  return CallOpen(g_open64, path, path, flags, mode);
}
GECKOPROF_HOOK int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeIn(flags, list);
  va_end(list);
  return CallOpen(g_openat, path, folder, path, flags, mode);
}
GECKOPROF_HOOK int openat64(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeIn(flags, list);
  va_end(list);
  return CallOpen(g_openat64, path, folder, path, flags, mode);
}
GECKOPROF_HOOK int creat(const char* path, mode_t mode) { return CallOpen(g_creat, path, path, mode); }
GECKOPROF_HOOK int creat64(const char* path, mode_t mode) { return CallOpen(g_creat64, path, path, mode); }
GECKOPROF_HOOK int __open_2(const char* path, int flags) { return CallOpen(g___open_2, path, path, flags); }
GECKOPROF_HOOK int __open64_2(const char* path, int flags) { return CallOpen(g___open64_2, path, path, flags); }
GECKOPROF_HOOK int __openat_2(int folder, const char* path, int flags) {
  return CallOpen(g___openat_2, path, folder, path, flags);
}
GECKOPROF_HOOK int __openat64_2(int folder, const char* path, int flags) {
  return CallOpen(g___openat64_2, path, folder, path, flags);
}

GECKOPROF_HOOK int stat(const char* path, struct stat* out) noexcept { return CallPath(g_stat, path, path, out); }
GECKOPROF_HOOK int stat64(const char* path, struct stat64* out) noexcept { return CallPath(g_stat64, path, path, out); }
GECKOPROF_HOOK int lstat(const char* path, struct stat* out) noexcept { return CallPath(g_lstat, path, path, out); }
GECKOPROF_HOOK int lstat64(const char* path, struct stat64* out) noexcept {
  return CallPath(g_lstat64, path, path, out);
}
GECKOPROF_HOOK int fstatat(int folder, const char* path, struct stat* out, int flags) noexcept {
  return CallPath(g_fstatat, path, folder, path, out, flags);
}
GECKOPROF_HOOK int fstatat64(int folder, const char* path, struct stat64* out, int flags) noexcept {
  return CallPath(g_fstatat64, path, folder, path, out, flags);
}
GECKOPROF_HOOK int statx(int folder, const char* path, int flags, unsigned mask, struct statx* out) noexcept {
  return CallPath(g_statx, path, folder, path, flags, mask, out);
}
GECKOPROF_HOOK int __xstat(int version, const char* path, struct stat* out) {
  return CallPath(g___xstat, path, version, path, out);
}
GECKOPROF_HOOK int __xstat64(int version, const char* path, struct stat64* out) {
  return CallPath(g___xstat64, path, version, path, out);
}
GECKOPROF_HOOK int __lxstat(int version, const char* path, struct stat* out) {
  return CallPath(g___lxstat, path, version, path, out);
}
GECKOPROF_HOOK int __lxstat64(int version, const char* path, struct stat64* out) {
  return CallPath(g___lxstat64, path, version, path, out);
}
GECKOPROF_HOOK int __fxstatat(int version, int folder, const char* path, struct stat* out, int flags) {
  return CallPath(g___fxstatat, path, version, folder, path, out, flags);
}
GECKOPROF_HOOK int __fxstatat64(int version, int folder, const char* path, struct stat64* out, int flags) {
  return CallPath(g___fxstatat64, path, version, folder, path, out, flags);
}
GECKOPROF_HOOK int access(const char* path, int mode) noexcept { return CallPath(g_access, path, path, mode); }
GECKOPROF_HOOK int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  return CallPath(g_faccessat, path, folder, path, mode, flags);
}

GECKOPROF_HOOK int rename(const char* from, const char* to) noexcept { return CallPath(g_rename, from, from, to); }
GECKOPROF_HOOK int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return CallPath(g_renameat, from, from_folder, from, to_folder, to);
}
GECKOPROF_HOOK int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                             unsigned flags) noexcept {
  return CallPath(g_renameat2, from, from_folder, from, to_folder, to, flags);
}
GECKOPROF_HOOK int unlink(const char* path) noexcept { return CallPath(g_unlink, path, path); }
GECKOPROF_HOOK int unlinkat(int folder, const char* path, int flags) noexcept {
  return CallPath(g_unlinkat, path, folder, path, flags);
}
GECKOPROF_HOOK int remove(const char* path) noexcept { return CallPath(g_remove, path, path); }
GECKOPROF_HOOK int mkdir(const char* path, mode_t mode) noexcept { return CallPath(g_mkdir, path, path, mode); }
GECKOPROF_HOOK int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return CallPath(g_mkdirat, path, folder, path, mode);
}
GECKOPROF_HOOK int rmdir(const char* path) noexcept { return CallPath(g_rmdir, path, path); }
GECKOPROF_HOOK int link(const char* from, const char* to) noexcept { return CallPath(g_link, from, from, to); }
GECKOPROF_HOOK int symlink(const char* text, const char* path) noexcept {
  return CallPath(g_symlink, path, text, path);
}
GECKOPROF_HOOK ssize_t readlink(const char* path, char* to, size_t bytes) noexcept {
  return CallPath(g_readlink, path, path, to, bytes);
}
GECKOPROF_HOOK ssize_t __readlink_chk(const char* path, char* to, size_t bytes, size_t room) {
  return CallPath(g___readlink_chk, path, path, to, bytes, room);
}
GECKOPROF_HOOK ssize_t readlinkat(int folder, const char* path, char* to, size_t bytes) noexcept {
  return CallPath(g_readlinkat, path, folder, path, to, bytes);
}
GECKOPROF_HOOK ssize_t __readlinkat_chk(int folder, const char* path, char* to, size_t bytes, size_t room) {
  return CallPath(g___readlinkat_chk, path, folder, path, to, bytes, room);
}
GECKOPROF_HOOK int truncate(const char* path, off_t bytes) noexcept { return CallPath(g_truncate, path, path, bytes); }
GECKOPROF_HOOK int truncate64(const char* path, off64_t bytes) noexcept {
  return CallPath(g_truncate64, path, path, bytes);
}

GECKOPROF_HOOK DIR* opendir(const char* path) {
  DIR* const folder = CallPath(g_opendir, path, path);
  if (folder != nullptr) g_io_recorder.Forget(dirfd(folder));
  return folder;
}
GECKOPROF_HOOK dirent* readdir(DIR* folder) { return CallDescriptor(g_readdir, dirfd(folder), folder); }
GECKOPROF_HOOK dirent64* readdir64(DIR* folder) { return CallDescriptor(g_readdir64, dirfd(folder), folder); }
GECKOPROF_HOOK int closedir(DIR* folder) { return CallClose(g_closedir, NumberOf(folder), folder); }
