#include "tools/report/section_totals.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

using Entry = ProfileSection::Entry;
constexpr auto kText = Entry::Kind::kText, kNumber = Entry::Kind::kNumber, kBytes = Entry::Kind::kBytes;

TEST_CASE("numbers are added up, texts are counted") {
  const std::vector<ProfileSection> sections = {
      {"a (1)", {{"Ended", "exec", kText}, {"Capacity", "1048576", kBytes}, {"Samples", "1500", kNumber}}},
      {"a (2)", {{"Ended", "exited", kText}, {"Capacity", "1048576", kBytes}, {"Samples", "7", kNumber}}},
      {"b (3)", {{"Ended", "exited", kText}, {"Capacity", "1048576", kBytes}, {"Lost", "3", kNumber}}}};
  const ProfileSection total = AddUpSections(sections);
  REQUIRE(total.entries.size() == 4);
  CHECK(total.entries[0].label == "Ended");
  CHECK(total.entries[0].value == "exec (1), exited (2)");
  CHECK(total.entries[1].value == "1.0 MiB each");
  CHECK(total.entries[2].label == "Lost");  // behind the capacity, which it follows where it is
  CHECK(total.entries[2].value == "3");     // one section has it: not "each"
  CHECK(total.entries[3].value == "1,507");
  CHECK(AddUpSections({}).entries.empty());
}

TEST_CASE("losses stand together, and the buckets of the pauses in order") {
  const std::vector<ProfileSection> sections = {
      {"a", {{"Taken", "9", kNumber}, {"Lost: late", "1", kNumber}, {"Handler ran 4096 to 6144 ns", "1", kNumber}}},
      {"b",
       {{"Taken", "9", kNumber},
        {"Handler ran 0 to 512 ns", "1", kNumber},
        {"Handler ran 4096 to 6144 ns", "2", kNumber},
        {"Handler ran 16384 to 20480 ns", "1", kNumber},
        {"End", "x", kText}}},
      {"c", {{"Taken", "9", kNumber}, {"Handler ran 512 to 1024 ns", "1", kNumber}, {"Lost: no-chunk", "4", kNumber}}},
      {"d", {{"Taken", "9", kNumber}, {"Ticks without a request: missed-tick", "4", kNumber}}}};
  std::vector<std::string> labels;
  for (const Entry& entry : AddUpSections(sections).entries) labels.push_back(entry.label);
  CHECK(labels == std::vector<std::string>{"Taken", "Lost: no-chunk", "Lost: late",
                                           "Ticks without a request: missed-tick", "Handler ran 0 to 512 ns",
                                           "Handler ran 512 to 1024 ns", "Handler ran 4096 to 6144 ns",
                                           "Handler ran 16384 to 20480 ns", "End"});
}

TEST_CASE("many different texts are not all listed, and a label of two kinds is a text") {
  std::vector<ProfileSection> sections;
  for (int i = 0; i < 1000; ++i) {
    sections.push_back({"", {{"Text", std::to_string(i), kText}, {"Mixed", "5", i == 0 ? kNumber : kText}}});
  }
  const ProfileSection total = AddUpSections(sections);
  CHECK(total.entries[0].value == "0 (1), 1 (1), 2 (1), 3 (1), 4 (1), 5 (1), 6 (1), 7 (1), others (992)");
  CHECK(total.entries[1].value == "5");
}

TEST_CASE("single values") {
  CHECK(SectionValueText({"", "2397", kNumber}) == "2,397");
  CHECK(SectionValueText({"", "2397", kText}) == "2397");
  CHECK(SectionValueText({"", "1536", kBytes}) == "1.5 KiB");
  CHECK(SectionValueText({"", "12345.678", Entry::Kind::kMs}) == "12.346 s");
  CHECK(SectionValueText({"", "0.5", kNumber}) == "0.5");
}

TEST_CASE("an entry of the recording is found by its label") {
  ProfileModel model;
  CHECK(RecordingText(model, "End").empty());
  model.sections = {{"Recording", {{"End", "Killed", kText}, {"Processes", "1500", kNumber}}},
                    {"a (1)", {{"Ended", "Killed", kText}}}};
  CHECK(RecordingText(model, "End") == "Killed");
  CHECK(RecordingText(model, "Processes") == "1,500");
  CHECK(RecordingText(model, "Ended").empty());
}

}  // namespace
}  // namespace geckoprof
