#include "marker_sites.h"

#include <catch2/catch.hpp>

#include "entry_bytes.h"
#include "metadata_reader.h"

namespace geckoprof {
namespace {

struct Reading {
  Reading() { profile.categories = {{"Other", "grey", {"Other"}}, {"Work", "blue", {"Other"}}}; }
  bool Type(const EntryBytes& entry) {
    Leb128Reader reader(entry.fields());
    return sites.ReadType(reader);
  }
  bool Site(uint64_t id, uint64_t pair, uint64_t type, bool has_name, std::string_view name) {
    const EntryBytes entry(EntryType::kMarkerSite,
                           [&](EntryBuilder& out) { out.U(id).U(pair).U(type).U(has_name ? 1 : 0).T(name); });
    Leb128Reader reader(entry.fields());
    return sites.ReadSite(reader);
  }
  std::string_view Text(int32_t row) const { return profile.strings[static_cast<size_t>(row)]; }

  ProcessProfile profile;
  SegmentTables tables{&profile};
  MarkerSites sites{&profile, &tables};
};

TEST_CASE("marker sites: a type comes back with all that it says of itself") {
  Reading reading;
  REQUIRE(reading.Type(
      TypeEntry(7, "Load", {{"path", MarkerFieldWire::kString, kMarkerFieldHidden}, {"n", MarkerFieldWire::kUint64, 0}},
                kMarkerTypeStackBased)));
  REQUIRE(reading.profile.marker_types.size() == 1);
  const MarkerTypeRow& type = reading.profile.marker_types[0];
  CHECK(type.name == "Load");
  CHECK(type.description == "described");
  CHECK(type.chart_label == "chart");
  CHECK(type.tooltip_label == "tooltip");
  CHECK(type.table_label == "table");
  CHECK(type.color_field == "colour");
  CHECK(type.is_stack_based);
  CHECK(type.has_schema);
  CHECK(type.display == std::vector<std::string>{"marker-chart", "marker-table"});
  REQUIRE(type.fields.size() == 2);
  CHECK(type.fields[0].key == "path");
  CHECK(type.fields[0].label == "path label");
  CHECK(type.fields[0].format == "string");
  CHECK(type.fields[0].hidden);
  CHECK_FALSE(type.fields[1].hidden);
  REQUIRE(type.notes.size() == 1);
  CHECK(type.notes[0].label == "note");
  CHECK(type.notes[0].value == "value");
  REQUIRE(type.graphs.size() == 1);
  CHECK(type.graphs[0].key == "n");
  CHECK(type.graphs[0].type == "line");
  CHECK(type.graphs[0].color == "red");
}

TEST_CASE("marker sites: a field without a format is in payloads and in no schema") {
  Reading reading;
  REQUIRE(reading.Type(TypeEntry(1, "T", {{"shown", MarkerFieldWire::kBool, 0}, {"", MarkerFieldWire::kInt64, 0}},
                                 kMarkerTypeNoSchema)));
  REQUIRE(reading.Site(2, 0x100, 1, true, "s"));
  CHECK_FALSE(reading.profile.marker_types[0].has_schema);
  CHECK(reading.profile.marker_types[0].fields.size() == 1);
  const MarkerSites::Site* const site = reading.sites.Find(2);
  REQUIRE(site != nullptr);
  REQUIRE(reading.sites.SiteFields(*site).size() == 2);
  CHECK(reading.sites.SiteFields(*site)[0].wire == MarkerFieldWire::kBool);
  CHECK(reading.sites.SiteFields(*site)[1].wire == MarkerFieldWire::kInt64);
}

TEST_CASE("marker sites: name, category and type of a site, by its number") {
  Reading reading;
  REQUIRE(reading.Type(TypeEntry(1, "A", {{"a", MarkerFieldWire::kBool, 0}})));
  REQUIRE(reading.Type(TypeEntry(2, "B", {{"b", MarkerFieldWire::kNs, 0}, {"c", MarkerFieldWire::kTime, 0}})));
  REQUIRE(reading.Site(3, 0x100, 2, true, "named"));
  REQUIRE(reading.Site(4, 0, 0, false, ""));
  REQUIRE(reading.Site(5, 99 << 8, 1, true, ""));
  const MarkerSites::Site* const named = reading.sites.Find(3);
  REQUIRE(named != nullptr);
  CHECK(reading.Text(named->name) == "named");
  CHECK(named->category_pair >> 8 == 1);
  CHECK(named->type == 1);
  REQUIRE(reading.sites.SiteFields(*named).size() == 2);
  CHECK(reading.Text(reading.sites.SiteFields(*named)[1].key) == "c");
  const MarkerSites::Site* const nameless = reading.sites.Find(4);
  REQUIRE(nameless != nullptr);
  CHECK(nameless->name == kNone);
  CHECK(nameless->type == kNone);
  CHECK(reading.sites.SiteFields(*nameless).empty());
  CHECK(reading.tables.categories().Find(reading.sites.Find(5)->category_pair).category ==
        kNone);  // of a later version
  CHECK(reading.Text(reading.sites.Find(5)->name).empty());
  CHECK(reading.sites.Find(6) == nullptr);
  CHECK(reading.sites.Find(UINT64_MAX) == nullptr);
}

TEST_CASE("marker sites: what makes no sense is refused, and nothing of it is taken") {
  Reading reading;
  REQUIRE(reading.Type(TypeEntry(1, "A", {})));
  REQUIRE(reading.Site(1, 0, 1, true, "a"));
  CHECK_FALSE(reading.Type(TypeEntry(1, "again", {})));
  CHECK_FALSE(reading.Site(1, 0, 0, true, "again"));
  CHECK(reading.Site(2, 0, 77, true, "of an unknown type"));
  CHECK(reading.sites.Find(2) == nullptr);
  const EntryBytes whole = TypeEntry(9, "cut", {{"k", MarkerFieldWire::kString, 0}});
  for (size_t size = 0; size < whole.fields().size(); ++size) {
    Leb128Reader cut(whole.fields().first(size));
    CHECK_FALSE(reading.sites.ReadType(cut));
  }
  CHECK(reading.profile.marker_types.size() == 1);
  const EntryBytes endless(EntryType::kMarkerType, [](EntryBuilder& out) {
    out.U(10).U(0).T("endless").T("").T("").T("").T("").T("").U(UINT64_MAX).T("marker-chart");
  });
  CHECK_FALSE(reading.Type(endless));
  CHECK(reading.profile.marker_types.size() == 1);
}

// Metadata is one stream: what a later version wrote must not take the rest of it along.
TEST_CASE("marker sites: a type of a later version costs its own markers only") {
  Reading reading;
  MetadataReader metadata(&reading.profile, &reading.tables);
  CHECK(metadata.Read(TypeEntry(1, "later", {{"k", static_cast<MarkerFieldWire>(9), 0}}).bytes()));
  const auto site = [](uint64_t id, uint64_t type) {
    return EntryBytes(EntryType::kMarkerSite,
                      [=](EntryBuilder& out) { out.U(id).U(0x100).U(type).U(1).T("of a later type"); });
  };
  CHECK(metadata.Read(site(2, 1).bytes()));
  CHECK(metadata.sites().Find(2) == nullptr);
  CHECK(metadata.Read(TypeEntry(3, "", {}).bytes()));
  CHECK(metadata.Read(site(4, 3).bytes()));
  CHECK(metadata.sites().Find(4) == nullptr);
  CHECK(reading.profile.marker_types.empty());
}

}  // namespace
}  // namespace geckoprof
