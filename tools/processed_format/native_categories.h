#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_NATIVE_CATEGORIES_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_NATIVE_CATEGORIES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// What kind of code a native frame is, by the library it lies in: gives the viewer's graphs their colours.
enum class NativeCategory : int32_t { kOther, kProgram, kLibrary, kSystemLibrary, kLoader, kVdso, kProfiler };

// Their list, in the order of the enum; the first is grey.
const std::vector<CategoryRow>& NativeCategories();

// `library` null: code without a file (generated at run time). `executable`: path of the process's program.
NativeCategory NativeCategoryOf(const LibraryRow* library, std::string_view executable);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_NATIVE_CATEGORIES_H_
