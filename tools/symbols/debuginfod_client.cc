#include "tools/symbols/debuginfod_client.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace geckoprof {
namespace {

using Find = int (*)(void* client, const unsigned char* build_id, int build_id_bytes, char** path);

// The library's functions; nulls where it is not installed. Declared here: its header is another package's.
struct Library {
  void* client = nullptr;
  Find find_executable = nullptr, find_debug_info = nullptr;
};

Library LoadLibrary() {
  Library library;
  const char* urls = getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0') return library;
  void* handle = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return library;
  const auto begin = reinterpret_cast<void* (*)()>(dlsym(handle, "debuginfod_begin"));
  library.find_executable = reinterpret_cast<Find>(dlsym(handle, "debuginfod_find_executable"));
  library.find_debug_info = reinterpret_cast<Find>(dlsym(handle, "debuginfod_find_debuginfo"));
  if (begin != nullptr) library.client = begin();
  return library;
}

}  // namespace

std::string DebuginfodClient::Fetch(std::string_view build_id, Kind kind, std::string* problem) {
  static Library library = LoadLibrary();
  const Find find = kind == Kind::kExecutable ? library.find_executable : library.find_debug_info;
  if (library.client == nullptr || find == nullptr || build_id.empty()) return "";
  char* path = nullptr;
  const int fd = find(library.client, reinterpret_cast<const unsigned char*>(build_id.data()),
                      static_cast<int>(build_id.size()), &path);
  if (fd >= 0) close(fd);
  // Out of reach: asking for the next file would take as long again.
  if (fd < 0 && fd != -ENOENT) {
    library.client = nullptr;
    *problem = std::string("the servers of DEBUGINFOD_URLS cannot be asked: ") + strerror(-fd);
  }
  std::string found = fd >= 0 && path != nullptr ? path : "";
  free(path);
  return found;
}

}  // namespace geckoprof
