#include "baseprofiler/detail/runtime_type_description.h"

#include <catch2/catch.hpp>
#include <string_view>

namespace geckoprof::internal {
namespace {

// Numbers that are none of the enumeration's, as a cast makes them.
constexpr auto kNoFormat = static_cast<MS::Format>(99);

TEST_CASE("of the older style what makes no sense is left out") {
  static constexpr MS::TableColumn kColumns[] = {{"Stage", MS::Format::String}, {"Odd", kNoFormat}};
  MarkerSchema schema(MS::Location::MarkerTable, static_cast<MS::Location>(77));
  schema.AddKeyLabelTable("whole", "Whole", kColumns);
  schema.AddKeyLabelFormat("bare", "Bare", MS::Format::Table);
  schema.AddKeyLabelFormat("odd", "Odd", kNoFormat);
  schema.AddChart("whole", static_cast<MS::GraphType>(50));
  RuntimeTypeDescription description("Odd", schema);
  const geckoprof_marker_type& type = description.type();
  REQUIRE(type.display_count == 1);
  CHECK(std::string_view(type.display[0]) == "marker-table");
  REQUIRE(type.field_count == 4);  // and the one that all is spread over
  CHECK(std::string_view(type.fields[0].format) == "table\x1eStage\x1fstring\x1eOdd\x1f");
  CHECK(type.fields[1].format == nullptr);
  CHECK(type.fields[2].format == nullptr);
}

TEST_CASE("of the older style labels, flags and what is hidden come over") {
  MarkerSchema schema(MS::Location::MarkerChart);
  schema.SetChartLabel("chart").SetTooltipLabel("tooltip").SetTableLabel("table");
  schema.AddKeyFormat("seen", MS::Format::Integer);
  schema.AddKeyFormat("unseen", MS::Format::Integer, MS::PayloadFlags::Hidden);
  RuntimeTypeDescription description("Labelled", schema);
  const geckoprof_marker_type& type = description.type();
  CHECK(std::string_view(type.chart_label) == "chart");
  CHECK(std::string_view(type.tooltip_label) == "tooltip");
  CHECK(std::string_view(type.table_label) == "table");
  CHECK(type.fields[0].flags == GECKOPROF_FIELD_IN_SCHEMA_ONLY);
  CHECK(type.fields[1].flags == (GECKOPROF_FIELD_IN_SCHEMA_ONLY | GECKOPROF_FIELD_HIDDEN));
  CHECK(type.flags == 0);
  RuntimeTypeDescription special("Special", MarkerSchema(MarkerSchema::SpecialFrontendLocation{}));
  CHECK(special.type().flags == GECKOPROF_TYPE_NO_SCHEMA);
}

struct NamedByPointer {
  static constexpr const char* MarkerTypeName() { return "ByPointer"; }
  static MarkerSchema MarkerTypeDisplay() { return MarkerSchema(MS::Location::MarkerTable); }
};
struct NamedByView {
  static constexpr std::string_view MarkerTypeName() { return "ByView"; }
  static MarkerSchema MarkerTypeDisplay() { return MarkerSchema(MS::Location::MarkerTable); }
};

TEST_CASE("the name of a type of the older style is a view or a pointer") {
  CHECK(std::string_view(RuntimeTypeOf<NamedByPointer>()->name) == "ByPointer");
  CHECK(std::string_view(RuntimeTypeOf<NamedByView>()->name) == "ByView");
}

}  // namespace
}  // namespace geckoprof::internal
