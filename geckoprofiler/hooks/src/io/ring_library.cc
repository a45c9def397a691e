#include "io/ring_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

namespace geckoprof {
namespace {

// Returns the library that has the address, or null.
const link_map* LibraryWith(const void* address) {
  Dl_info facts;
  void* map = nullptr;
  return dladdr1(address, &facts, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map*>(map) : nullptr;
}

// Loads nothing, but keeps the library from being unloaded until dlclose.
void* OpenLoaded(const link_map* library) {
  return library != nullptr ? dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace

RingFunction FindRingFunction(const char* name, const void* hook, const void* caller) {
  const int error = errno;
  RingFunction found = {dlsym(RTLD_NEXT, name)};
  if (found.address == nullptr) found.address = dlsym(RTLD_DEFAULT, name);  // we came as a dependency, behind liburing
  if (found.address == hook) found.address = nullptr;
  const link_map* const calling = LibraryWith(caller);
  if (found.address == nullptr) {
    if (void* const scope = OpenLoaded(calling)) {
      found.address = dlsym(scope, name);
      if (found.address == hook) found.address = nullptr;
      dlclose(scope);  // the caller's code is running, so it stays for now
    }
  }
  const link_map* const library = found.address != nullptr ? LibraryWith(found.address) : nullptr;
  // Nothing keeps a plugin that has the function in itself. It may be unloaded later.
  if (library != nullptr && library != calling) {
    found.library = OpenLoaded(library);
    if (found.library != nullptr) {
      const void* const submit = dlvsym(found.library, "io_uring_submit", "LIBURING_2.0");
      found.has_rings = submit != nullptr && LibraryWith(submit) == library;
    }
  }
  errno = error;
  return found;
}

}  // namespace geckoprof
