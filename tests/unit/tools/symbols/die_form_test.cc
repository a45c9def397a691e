#include "tools/symbols/die_form.h"

#include <dwarf.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("every form is of one kind") {
  for (uint16_t form = 0; form < 0x2000; ++form) {
    CHECK((FixedFormBytes(form) != 0) + IsUlebForm(form) + IsOffsetForm(form) <= 1);
  }
  CHECK(FixedFormBytes(DW_FORM_data16) == 16);
  CHECK(FixedFormBytes(DW_FORM_addr) == 0);  // the unit says how wide
  CHECK(IsUlebForm(DW_FORM_strx));
  CHECK(IsOffsetForm(DW_FORM_line_strp));
}

}  // namespace
}  // namespace geckoprof
