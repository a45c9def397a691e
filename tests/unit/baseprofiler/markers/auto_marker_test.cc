#include "baseprofiler/detail/auto_marker.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof::internal {
namespace {

struct TextAndList : BaseMarkerType<TextAndList> {
  static constexpr const char* Name = "TextAndList";
  static constexpr MS::PayloadField PayloadFields[] = {{"text", MS::InputType::CString, "Text", MS::Format::String},
                                                       {"list", MS::InputType::StringList, "List", MS::Format::List}};
};

TEST_CASE("what texts take is not taken from lists") {
  const std::vector<std::string> list(100, "element");
  const ArgumentCopies<TextAndList, std::string, std::vector<std::string>> with_long(std::string(3000, 'x'), list);
  const ArgumentCopies<TextAndList, std::string, std::vector<std::string>> with_short("x", list);
  CHECK(with_long.was_cut());
  CHECK_FALSE(with_short.was_cut());
  CHECK(with_long.Argument<0>().size() == kCopiedTextBytes);
  CHECK(with_long.Argument<1>().size_bytes == with_short.Argument<1>().size_bytes);
}

}  // namespace
}  // namespace geckoprof::internal
