#include "tools/check/marker_schemas.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/check/valid_profile_text.h"

namespace geckoprof {
namespace {

TEST_CASE("labels that the viewer understands") {
  for (const char* label :
       {"", "plain", "{}", "{marker.name} - {marker.duration}", "{marker.start}{marker.end}{marker.category}"}) {
    INFO(label);
    CHECK(ParseLabelTemplate(label).fault.empty());
    CHECK(ParseLabelTemplate(label).keys.empty());
  }
  const LabelTemplate keys = ParseLabelTemplate("CPU = {marker.data.CPU Id} {marker.data.canceled ? 'x ' : ''}x");
  CHECK(keys.fault.empty());
  CHECK(keys.keys == std::vector<std::string_view>{"CPU Id", "canceled"});
}

TEST_CASE("labels of which the viewer prints nothing") {
  for (const char* label :
       {"{marker}", "{marker.other}", "{marker.data}", "{marker.data.}", "{marker.data.a.b}", "{name}",
        "{marker.name ? 'a' : 'b'}", "{marker.data.a ? 'a'}", "{marker.data.a ? a : b}",
        "{marker.data.a ? 'a' : 'b' c}", "{marker.data.a ? 'a : b}", "{marker.data.CPU Id ? 'a' : 'b'}"}) {
    INFO(label);
    CHECK(ParseLabelTemplate(label).fault == std::string("\"") + label + "\" is no expression of a label");
  }
  CHECK(ParseLabelTemplate("x {marker.name").fault == "a \"{\" without its \"}\"");
  // The viewer knows no quotes here.
  CHECK_FALSE(ParseLabelTemplate("{marker.data.a ? '}' : ''}").fault.empty());
}

TEST_CASE("marker schemas") {
  RequireFaults(kValidGecko,
                {{"\"display\":[\"marker-chart\",\"marker-table\"],", "", "$.meta.markerSchema[0].display: is missing"},
                 {"{marker.data.n ? 'x' : 'y'}", "{marker.data.n ?}",
                  "$.meta.markerSchema[0].chartLabel: \"{marker.data.n ?}\" is no expression of a label"},
                 {"{\"key\":\"n\",\"format\":\"integer\"}", "{\"format\":\"integer\"}",
                  "$.meta.markerSchema[0].data[1].key: is missing"},
                 {"\"columns\":[{\"label\":\"a\"},{\"label\":\"b\"}]", "\"columns\":2",
                  "$.meta.markerSchema[0].data[6].format: is no {\"type\":\"table\",\"columns\":[...]}"},
                 {"{\"key\":\"n\",\"type\":\"bar\"}", "{\"key\":\"n\",\"type\":\"pie\"}",
                  "$.meta.markerSchema[0].graphs[0].type: \"pie\" is no graph of the viewer"},
                 {"{\"key\":\"n\",\"type\":\"bar\"}", "{\"key\":\"n\",\"type\":\"bar\",\"color\":\"pink\"}",
                  "$.meta.markerSchema[0].graphs[0].color: \"pink\" is not known to the viewer"},
                 {"\"markerSchema\":[],", "", "$.processes[0].meta.markerSchema: is missing"},
                 {"\"markerSchema\":[],", "\"markerSchema\":[4],",
                  "$.processes[0].meta.markerSchema[0]: is number, not object"}});
  RequireWarnings(
      kValidGecko,
      {{"{\"name\":\"Text\",", "{\"name\":\"Network\",",
        "$.meta.markerSchema[0].name: \"Network\" is a type of the viewer's own, which overrides this"},
       {"{\"name\":\"Text\",", "{", "$.meta.markerSchema[0].name: is missing"},
       {"\"marker-chart\"", "\"marker-graph\"",
        "$.meta.markerSchema[0].display[0]: \"marker-graph\" is no place of the viewer"},
       {"{\"key\":\"n\",\"format\":\"integer\"}", "{\"key\":\"n\",\"format\":\"int\"}",
        "$.meta.markerSchema[0].data[1].format: \"int\" is no format of the viewer, which shows the value as it is"},
       {"{\"key\":\"n\",\"format\":\"integer\"}", "{\"key\":\"name\",\"format\":\"integer\"}",
        "$.meta.markerSchema[0].data[1].key: \"name\" is a key for the second time"},
       {"{\"key\":\"n\",\"format\":\"integer\"}", "{\"key\":\"n\"}",
        "$.meta.markerSchema[0].data[1].format: is missing"},
       {"{\"key\":\"n\",\"type\":\"bar\"}", "{\"key\":\"m\",\"type\":\"bar\"}",
        "$.meta.markerSchema[0].graphs[0].key: \"m\" is no field"}});
  RequireFaults(kValidProcessed,
                {{"\"fields\":[", "\"data\":[", "$.meta.markerSchema[0].fields: is missing"},
                 {"{\"key\":\"name\",\"format\":\"string\"}", "{\"label\":\"Description\",\"value\":\"x\"}",
                  "$.meta.markerSchema[0].fields[0].key: is missing"}});
  RequireWarnings(kValidProcessed, {{"\"description\":\"d\",\"fields\"", "\"description\":4,\"fields\"",
                                     "$.meta.markerSchema[0].description: is number, not string"}});
}

TEST_CASE("a type stands once in a list; a label may ask for what is no field") {
  RequireFaults(kValidGecko,
                {{"\"markerSchema\":[],",
                  R"("markerSchema":[{"name":"A","display":[],"data":[]},{"name":"A","display":[],"data":[]}],)",
                  "$.processes[0].meta.markerSchema[1].name: \"A\" is in the list for the second time"}});
  RequireWarnings(kValidGecko, {{"{marker.name} - {marker.data.name}", "{marker.data.Name}",
                                 "$.meta.markerSchema[0].tableLabel: \"Name\" is no field"}});
}

}  // namespace
}  // namespace geckoprof
