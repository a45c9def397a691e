#include <catch2/catch.hpp>
#include <string>

#include "baseprofiler/c/geckoprof_base.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

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

TEST_CASE("what is asked for is shown as it took effect, and asking for the same again changes nothing") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          struct Seen {
            geckoprof_start_parameters shown;
            std::string filters;
            int result = -1;  // of a start inside
          } seen;
          const auto visit = [](void* context, const geckoprof_start_parameters* shown) {
            auto* const to = static_cast<Seen*>(context);
            to->shown = *shown;
            to->filters.clear();
            for (uint32_t i = 0; i < shown->filter_count; ++i) to->filters += std::string(shown->filters[i]) + ";";
            to->result = geckoprof_base_start_with(nullptr);
          };
          FORKED_REQUIRE(geckoprof_base_visit_start_parameters(visit, &seen) == 0 && seen.result == -1);
          const char* const filters[] = {"a", "*"};
          geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
          wanted.interval_ns = 1;  // the least there is is taken
          wanted.filters = filters;
          wanted.filter_count = 2;
          FORKED_REQUIRE(geckoprof_base_ensure_started(&wanted) == GECKOPROF_STARTED);
          FORKED_REQUIRE(geckoprof_base_visit_start_parameters(visit, &seen) == 1);
          FORKED_REQUIRE(seen.shown.interval_ns == 50'000 && seen.shown.capacity_bytes == 128 << 20);
          FORKED_REQUIRE(seen.shown.duration_ns == 0 && seen.filters == "a;*;" &&
                         seen.shown.size_bytes == sizeof wanted);
          FORKED_REQUIRE(seen.shown.features == geckoprof_base_features() && seen.result == GECKOPROF_ALREADY_ACTIVE);
          FORKED_REQUIRE(geckoprof_base_mark_text("kept", 256, nullptr, "some", 4) == GECKOPROF_MARKED);
          const auto used_bytes = [] {
            geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
            return geckoprof_base_get_buffer_info(&info) == 1 ? info.used_bytes : 0;
          };
          const uint64_t before = used_bytes();
          wanted.interval_ns = 50'000;  // alike
          FORKED_REQUIRE(geckoprof_base_ensure_started(&wanted) == GECKOPROF_ALREADY_ACTIVE && used_bytes() >= before);
          FORKED_REQUIRE(geckoprof_base_thread_is_being_profiled() == 1);
          FORKED_REQUIRE(geckoprof_base_pause() == 1 && geckoprof_base_thread_is_being_profiled() == 0);
          FORKED_REQUIRE(geckoprof_base_ensure_started(&wanted) == GECKOPROF_ALREADY_ACTIVE);  // paused, and alike
          const char* const other_process[] = {"pid:1"};
          geckoprof_start_parameters excluded = GECKOPROF_START_PARAMETERS;
          excluded.filters = other_process;
          excluded.filter_count = 1;
          FORKED_REQUIRE(geckoprof_base_ensure_started(&excluded) == GECKOPROF_EXCLUDED && geckoprof_base_state() == 2);
          const char* const nobody[] = {"nobody's"};
          wanted.filters = nobody;
          wanted.filter_count = 1;
          FORKED_REQUIRE(geckoprof_base_ensure_started(&wanted) == GECKOPROF_STARTED && geckoprof_base_state() == 1);
          FORKED_REQUIRE(geckoprof_base_thread_is_being_profiled() == 0);
          geckoprof_base_register_thread("Nobody's thread");
          FORKED_REQUIRE(geckoprof_base_thread_is_being_profiled() == 1);
          wanted.reserved = 1;
          FORKED_REQUIRE(geckoprof_base_ensure_started(&wanted) == GECKOPROF_UNKNOWN_PARAMETER);
          FORKED_REQUIRE(geckoprof_base_stop() == 1 && geckoprof_base_thread_is_being_profiled() == 0);
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
  CHECK(functions->add_marker == &geckoprof_base_add_marker);
  CHECK(functions->begin_in_place == &geckoprof_base_begin_in_place);
  CHECK(functions->end_in_place == &geckoprof_base_end_in_place);
  CHECK(functions->add_category == &geckoprof_base_add_category);
  CHECK(functions->add_subcategory == &geckoprof_base_add_subcategory);
  CHECK(functions->pause_sampling == &geckoprof_base_pause_sampling);
  CHECK(functions->resume_sampling == &geckoprof_base_resume_sampling);
  CHECK(functions->available_features == &geckoprof_base_available_features);
  CHECK(functions->ensure_started == &geckoprof_base_ensure_started);
  CHECK(functions->visit_start_parameters == &geckoprof_base_visit_start_parameters);
  CHECK(functions->thread_is_being_profiled == &geckoprof_base_thread_is_being_profiled);
  CHECK(functions->set_process_name == &geckoprof_base_set_process_name);  // the last
  CHECK(functions->words == &geckoprof_base_words);
}

}  // namespace
}  // namespace geckoprof
