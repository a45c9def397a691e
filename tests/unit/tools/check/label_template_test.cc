#include "tools/check/label_template.h"

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace geckoprof
