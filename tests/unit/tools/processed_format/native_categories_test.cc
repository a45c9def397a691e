#include "tools/processed_format/native_categories.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

NativeCategory Of(const std::string& path) {
  LibraryRow library;
  library.path = path;
  return NativeCategoryOf(&library, "/bin/x");
}

TEST_CASE("native code is told apart by its library") {
  CHECK(Of("/usr/lib/x86_64-linux-gnu/libc.so.6") == NativeCategory::kSystemLibrary);
  CHECK(Of("/lib64/libm.so.6") == NativeCategory::kSystemLibrary);
  CHECK(Of("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2") == NativeCategory::kLoader);
  CHECK(Of("/lib/ld-linux-aarch64.so.1") == NativeCategory::kLoader);
  CHECK(Of("/bin/x") == NativeCategory::kProgram);
  CHECK(Of("/bin/xx") == NativeCategory::kLibrary);
  CHECK(Of("/srv/x/libmine.so") == NativeCategory::kLibrary);
  CHECK(Of("/srv/usr/lib/libmine.so") == NativeCategory::kLibrary);
  CHECK(Of("/usr/lib/geckoprof/libbaseprofiler.so") == NativeCategory::kProfiler);
  CHECK(Of("/opt/libgeckoprofiler.so.1") == NativeCategory::kProfiler);
  CHECK(Of("[vdso]") == NativeCategory::kVdso);
  CHECK(Of("") == NativeCategory::kLibrary);
  CHECK(NativeCategoryOf(nullptr, "/bin/x") == NativeCategory::kOther);
}

TEST_CASE("the list has a row for each category, the first one grey") {
  const std::vector<CategoryRow>& rows = NativeCategories();
  REQUIRE(rows.size() == static_cast<size_t>(NativeCategory::kProfiler) + 1);
  CHECK(rows[0].color == "grey");
  CHECK(rows[static_cast<size_t>(NativeCategory::kProgram)].name == "Program");
  CHECK(rows[static_cast<size_t>(NativeCategory::kLoader)].name == "Dynamic linker");
  CHECK(rows[static_cast<size_t>(NativeCategory::kProfiler)].name == "Profiler");
  for (const CategoryRow& row : rows) CHECK(row.subcategories == std::vector<std::string>{"Other"});
}

}  // namespace
}  // namespace geckoprof
