#include <catch2/catch.hpp>
#include <string>

#include "baseprofiler/c/geckoprof_base.h"
#include "forked_check.h"
#include "recording_folder.h"

namespace geckoprof {
namespace {

TEST_CASE("parameters of an older program start, those of a newer one if it asks for nothing new") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          struct Newer {
            geckoprof_start_parameters known;
            uint64_t newer[2];
          } wanted = {GECKOPROF_START_PARAMETERS, {0, 1}};
          wanted.known.size_bytes = sizeof wanted;
          FORKED_REQUIRE(geckoprof_base_start_with(&wanted.known) == GECKOPROF_UNKNOWN_PARAMETER);
          wanted.newer[1] = 0;
          wanted.known.features = GECKOPROF_FEATURE_CPU;
          FORKED_REQUIRE(geckoprof_base_features() == 0);
          FORKED_REQUIRE(geckoprof_base_start_with(&wanted.known) == GECKOPROF_STARTED);
          FORKED_REQUIRE(geckoprof_base_features() == GECKOPROF_FEATURE_CPU);
          FORKED_REQUIRE(geckoprof_base_start_with(nullptr) == GECKOPROF_ALREADY_ACTIVE);
          FORKED_REQUIRE(geckoprof_base_stop() == 1);
          wanted.known.size_bytes = 8;  // size and features
          wanted.known.interval_ns = -1;
          FORKED_REQUIRE(geckoprof_base_start_with(&wanted.known) == GECKOPROF_STARTED && geckoprof_base_stop() == 1);
          for (const uint32_t wrong : {0u, 4u, 12u}) {
            wanted.known.size_bytes = wrong;
            FORKED_REQUIRE(geckoprof_base_start_with(&wanted.known) == GECKOPROF_UNKNOWN_PARAMETER);
          }
          geckoprof_start_parameters without_list = GECKOPROF_START_PARAMETERS;
          without_list.filter_count = 1;
          FORKED_REQUIRE(geckoprof_base_start_with(&without_list) == GECKOPROF_UNKNOWN_PARAMETER);
          return 0;
        }) == 0);
}

TEST_CASE("the buffer's amounts are filled in as far as there is room") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
          FORKED_REQUIRE(geckoprof_base_get_buffer_info(&info) == 0);
          FORKED_REQUIRE(geckoprof_base_start_with(nullptr) == GECKOPROF_STARTED);
          FORKED_REQUIRE(geckoprof_base_mark_text("text", 256, nullptr, "some", 4) == GECKOPROF_MARKED);
          FORKED_REQUIRE(geckoprof_base_get_buffer_info(&info) == 1);
          FORKED_REQUIRE(info.capacity_bytes >= 1 << 20 && info.used_bytes > 0 && info.size_bytes == sizeof info);
          info = {16, 0, 0, 77, 77, 77};
          FORKED_REQUIRE(geckoprof_base_get_buffer_info(&info) == 1);
          FORKED_REQUIRE(info.capacity_bytes != 0 && info.used_bytes == 77 && info.size_bytes == 16);
          FORKED_REQUIRE(geckoprof_base_get_buffer_info(nullptr) == 0);
          return 0;
        }) == 0);
}

TEST_CASE("every result has a sentence, and the table has every function") {
  for (int result = 0; result <= GECKOPROF_NOT_HERE; ++result) {
    CHECK(std::string(geckoprof_base_start_text(result)) != "unknown");
  }
  CHECK(std::string(geckoprof_base_start_text(-1)) == "unknown");
  const geckoprof_base_functions* const functions = geckoprof_base_get_functions();
  CHECK((functions->size_bytes == sizeof(*functions) && functions->version == 1));
  CHECK((functions->mark == &geckoprof_base_mark && functions->label_cut == &geckoprof_base_label_cut));
  CHECK((functions->add_text == &geckoprof_base_add_text && functions->add_category == &geckoprof_base_add_category));
  CHECK(functions->add_subcategory == &geckoprof_base_add_subcategory);
  CHECK(functions->label_open == &geckoprof_base_label_open);
  CHECK(functions->pause_sampling == &geckoprof_base_pause_sampling);
  CHECK(functions->resume_sampling == &geckoprof_base_resume_sampling);
  CHECK(functions->available_features == &geckoprof_base_available_features);  // the last
  CHECK(functions->words == &geckoprof_base_words);
}

}  // namespace
}  // namespace geckoprof
