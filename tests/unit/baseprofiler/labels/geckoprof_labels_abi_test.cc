#include <catch2/catch.hpp>

#include "baseprofiler/c/geckoprof_base.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

TEST_CASE("labels are cut to a depth, whatever was opened since") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          const uint32_t depth = geckoprof_base_label_depth();
          int here = 0;
          void* const outer = geckoprof_open_label("outer", nullptr, GECKOPROF_CATEGORY_OTHER, &here);
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth + 1);
          {
            GECKOPROF_LABEL("block", GECKOPROF_CATEGORY_OTHER);
            FORKED_REQUIRE(geckoprof_base_label_depth() == depth + 2);
          }
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth + 1);
          for (int i = 0; i < 100; ++i) geckoprof_open_label("deep", "text", GECKOPROF_CATEGORY_OTHER, &here);
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth + 101);
          geckoprof_base_label_cut(depth + 500);
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth + 101);
          geckoprof_base_label_cut(depth + 1);
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth + 1);
          geckoprof_close_label(outer);
          geckoprof_close_label(nullptr);
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth);
          return 0;
        }) == 0);
}

TEST_CASE("who closes a label closes what is open inside of it, and nothing twice") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          const uint32_t depth = geckoprof_base_label_depth();
          int here = 0;
          void* const outer = geckoprof_open_label("outer", nullptr, GECKOPROF_CATEGORY_OTHER, &here);
          void* const inner = geckoprof_open_label("inner", nullptr, GECKOPROF_CATEGORY_OTHER, &here);
          geckoprof_close_label(outer);
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth);
          geckoprof_open_label("later", nullptr, GECKOPROF_CATEGORY_OTHER, &here);
          geckoprof_close_label(inner);
          FORKED_REQUIRE(geckoprof_base_label_depth() == depth + 1);
          return 0;
        }) == 0);
}

TEST_CASE("a label of a category that there is not has the category Other") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          ProfilingStack& labels = RecordingState::Get().slots().Current()->labels;
          int here = 0;
          void* const opened = geckoprof_open_label("opened", nullptr, 0xffffff, &here);
          FORKED_REQUIRE(labels.frame(0).category_pair == GECKOPROF_CATEGORY_OTHER);
          geckoprof_close_label(opened);
          FORKED_REQUIRE(labels.depth() == 0);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
