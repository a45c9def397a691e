#include <catch2/catch.hpp>

#include "baseprofiler/c/geckoprof_labels.h"
#include "forked_check.h"
#include "recording_folder.h"

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

}  // namespace
}  // namespace geckoprof
