#include "tools/processed_format/native_categories.h"

#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {

const std::vector<CategoryRow>& NativeCategories() {
  static const auto* const rows = new std::vector<CategoryRow>{
      {"Other", "grey", {"Other"}},          {"Program", "yellow", {"Other"}},        {"Library", "green", {"Other"}},
      {"System library", "blue", {"Other"}}, {"Dynamic linker", "orange", {"Other"}}, {"vDSO", "lightblue", {"Other"}},
      {"Profiler", "lightred", {"Other"}},
  };
  return *rows;
}

NativeCategory NativeCategoryOf(const LibraryRow* library, std::string_view executable) {
  if (library == nullptr) return NativeCategory::kOther;
  const std::string_view path = library->path;
  const std::string_view name = PathBaseName(path);
  if (path == "[vdso]") return NativeCategory::kVdso;
  if (path == executable) return NativeCategory::kProgram;
  if (name.starts_with("libbaseprofiler.so") || name.starts_with("libgeckoprofiler.so")) {
    return NativeCategory::kProfiler;
  }
  if (name.starts_with("ld-linux") || name.starts_with("ld.so") || name.starts_with("ld-2.")) {
    return NativeCategory::kLoader;
  }
  for (std::string_view folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) {
    if (path.starts_with(folder)) return NativeCategory::kSystemLibrary;
  }
  return NativeCategory::kLibrary;
}

}  // namespace geckoprof
