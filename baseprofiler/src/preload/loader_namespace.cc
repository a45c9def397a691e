#include "preload/loader_namespace.h"

#include <link.h>

namespace geckoprof {

bool IsInFirstNamespace() {
  bool is_first = false;
  // Of the caller's namespace (dl_iterate_phdr(3)), what was loaded first: the program, which alone has no name.
  const auto look = [](dl_phdr_info* info, size_t, void* out) {
    *static_cast<bool*>(out) = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
    return 1;
  };
  dl_iterate_phdr(look, &is_first);
  return is_first;
}

}  // namespace geckoprof
