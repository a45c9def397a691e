#include "tools/symbols/split_name_reader.h"

#include <dwarf.h>

#include <catch2/catch.hpp>
#include <vector>

namespace geckoprof {
namespace {

TEST_CASE("names by number, through references, and references that come back") {
  const std::vector<uint8_t> abbrevs = {1,
                                        DW_TAG_subprogram,
                                        0,
                                        DW_AT_linkage_name,
                                        DW_FORM_strx1,
                                        0,
                                        0,  //
                                        2,
                                        DW_TAG_inlined_subroutine,
                                        0,
                                        DW_AT_abstract_origin,
                                        DW_FORM_ref1,
                                        0,
                                        0,  //
                                        3,
                                        DW_TAG_subprogram,
                                        0,
                                        DW_AT_name,
                                        DW_FORM_string,
                                        DW_AT_specification,
                                        DW_FORM_ref1,
                                        0,
                                        0,
                                        0};
  // 0: named 1; 2: refers to 0; 4: refers to itself; 6: "a", refers to 0; 10: named by a number that is too large.
  const std::vector<uint8_t> info = {1, 1, 2, 0, 2, 4, 3, 'a', 0, 4, 1, 9};
  const std::vector<uint8_t> strings = {'x', 0, '_', 'Z', '1', 'f', 'v', 0};
  const std::vector<uint8_t> offsets = {0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
  SplitUnit unit;
  unit.scan.info = info;
  unit.scan.abbrevs = abbrevs;
  unit.scan.version = 5;
  unit.strings = strings;
  unit.string_offsets = offsets;
  SplitNameReader reader(unit);
  CHECK(reader.NameOf(0) == "_Z1fv");
  CHECK(reader.NameOf(2) == "_Z1fv");
  CHECK(reader.NameOf(4).empty());
  CHECK(reader.NameOf(6) == "a");  // what it refers to has no name either
  CHECK(reader.NameOf(10).empty());
  CHECK(reader.NameOf(10'000).empty());
}

}  // namespace
}  // namespace geckoprof
