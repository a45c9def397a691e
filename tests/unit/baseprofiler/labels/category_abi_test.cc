#include <catch2/catch.hpp>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/category.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

bool Has(const ProcessProfile& profile, std::string_view name) {
  for (const CategoryRow& row : profile.categories) {
    if (row.name == name) return true;
  }
  return false;
}

TEST_CASE("categories are in every recording of the process: added before, meanwhile, while paused, and a next time") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          RecordingFolder::Load();
          uint32_t before = 0, meanwhile = 0, paused = 0;
          FORKED_REQUIRE(geckoprof_base_add_category("Before", "blue", &before) == GECKOPROF_CATEGORY_ADDED);
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(geckoprof_base_add_category("Meanwhile", "blue", &meanwhile) == GECKOPROF_CATEGORY_ADDED);
          geckoprof_base_pause();
          FORKED_REQUIRE(geckoprof_base_add_category("Paused", "blue", &paused) == GECKOPROF_CATEGORY_ADDED);
          FORKED_REQUIRE(before != meanwhile && meanwhile != paused);
          const ProcessProfile first = folder.Read(getpid());
          FORKED_REQUIRE(Has(first, "Before") && Has(first, "Meanwhile") && Has(first, "Paused"));
          geckoprof_base_stop();
          FORKED_REQUIRE(geckoprof_base_add_category("Between", "blue", nullptr) == GECKOPROF_CATEGORY_ADDED);
          FORKED_REQUIRE(folder.Start());
          const ProcessProfile second = folder.Read(getpid(), 1);
          FORKED_REQUIRE(Has(second, "Before") && Has(second, "Paused") && Has(second, "Between"));
          FORKED_REQUIRE(geckoprof_base_add_category("Before", "blue", &meanwhile) == GECKOPROF_CATEGORY_THERE);
          FORKED_REQUIRE(meanwhile == before);
          return 0;
        }) == 0);
}

TEST_CASE("categories in C++: values for labels and markers, and why one was refused") {
  CHECK(StatusInChild([] {
          CategoryResult result = CategoryResult::kAdded;
          FORKED_REQUIRE(profiler_add_category("Ink", "ink", &result) == MarkerCategory::OTHER);
          FORKED_REQUIRE(result == CategoryResult::kUnknownColor);
          const MarkerCategory physics = profiler_add_category("Physics", "magenta", &result);
          FORKED_REQUIRE(result == CategoryResult::kAdded && physics == profiler_add_category("Physics", "magenta"));
          const MarkerCategory inner = profiler_add_subcategory(physics, "Collisions", &result);
          FORKED_REQUIRE(result == CategoryResult::kAdded && inner != physics);
          FORKED_REQUIRE(profiler_add_subcategory(physics, "", &result) == physics);
          FORKED_REQUIRE(result == CategoryResult::kBadName);
          return 0;
        }) == 0);
}

TEST_CASE("categories in code are the list's: constants, texts, pairs") {
  using baseprofiler::Category;
  STATIC_REQUIRE(static_cast<uint32_t>(Category::OTHER) == GECKOPROF_CATEGORY_OTHER);
  STATIC_REQUIRE(baseprofiler::category::GRAPHICS_LayerBuilding == Category::GRAPHICS_LayerBuilding);
  STATIC_REQUIRE(baseprofiler::ToCategoryPair(Category::GRAPHICS_LayerBuilding) == 0x403);
  CHECK(std::string_view(baseprofiler::TextOf(Category::GRAPHICS)) == "Graphics");
  CHECK(std::string_view(baseprofiler::TextOf(Category::GRAPHICS_LayerBuilding)) == "Layer building");
  CHECK(std::string_view(baseprofiler::TextOf(static_cast<Category>(300 << 8))).empty());
}

}  // namespace
}  // namespace geckoprof
