#include "markers/marker_values.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "baseprofiler/detail/payload.h"

namespace geckoprof {
namespace {

std::string Written(const geckoprof_marker_type& type, const std::vector<geckoprof_value>& values) {
  internal::Payload<GECKOPROF_MOST_FIELDS, 63, true> payload;
  MarkerValues(&type, values).WriteTo(payload);
  std::string out;
  const geckoprof_piece* const pieces = payload.Finish();
  for (uint32_t i = 0; i < payload.piece_count(); ++i) {
    out.append(static_cast<const char*>(pieces[i].bytes), pieces[i].size_bytes);
  }
  return out;
}

struct OneField {
  geckoprof_marker_field field{"k", nullptr, nullptr, 0, 0};
  geckoprof_marker_type type{};
  OneField(uint32_t kind, uint32_t flags) {
    field.kind = kind;
    field.flags = flags;
    type.fields = &field;
    type.field_count = 1;
  }
  bool Takes(const geckoprof_value& value) const { return MarkerValues(&type, {&value, 1}).Fit(); }
};

TEST_CASE("a value goes where it keeps its meaning, and nowhere else") {
  const OneField whole(GECKOPROF_FIELD_UINT64, 0), number(GECKOPROF_FIELD_INT64, 0), real(GECKOPROF_FIELD_DOUBLE, 0),
      text(GECKOPROF_FIELD_STRING, 0), list(GECKOPROF_FIELD_VALUE, 0), flag(GECKOPROF_FIELD_BOOL, 0),
      maybe(GECKOPROF_FIELD_BOOL, GECKOPROF_FIELD_OPTIONAL);
  CHECK((whole.Takes(geckoprof_uint64(5)) && whole.Takes(geckoprof_int64(5)) && !whole.Takes(geckoprof_int64(-5))));
  CHECK((number.Takes(geckoprof_int64(-5)) && number.Takes(geckoprof_uint64(5)) &&
         !number.Takes(geckoprof_uint64(UINT64_MAX))));
  constexpr int64_t kMostWhole = int64_t{1} << 53;
  CHECK((real.Takes(geckoprof_int64(kMostWhole)) && real.Takes(geckoprof_int64(-kMostWhole))));
  CHECK((!real.Takes(geckoprof_int64(kMostWhole + 1)) && !real.Takes(geckoprof_int64(-kMostWhole - 1))));
  CHECK((real.Takes(geckoprof_uint64(uint64_t{1} << 53)) && !real.Takes(geckoprof_uint64((uint64_t{1} << 53) + 1))));
  CHECK((!real.Takes(geckoprof_uint64(UINT64_MAX)) && !real.Takes(geckoprof_int64(INT64_MAX))));
  CHECK((real.Takes(geckoprof_int64(int64_t{1} << 62)) && real.Takes(geckoprof_int64(INT64_MIN))));
  CHECK((real.Takes(geckoprof_uint64(uint64_t{1} << 63)) && real.Takes(geckoprof_uint64((uint64_t{1} << 53) + 2))));
  CHECK((real.Takes(geckoprof_double(0.5)) && real.Takes(geckoprof_int64(-5)) && real.Takes(geckoprof_uint64(5))));
  CHECK((!real.Takes(geckoprof_bool(1)) && !number.Takes(geckoprof_double(1)) && !flag.Takes(geckoprof_int64(1))));
  CHECK((text.Takes(geckoprof_string("t")) && text.Takes(geckoprof_string(nullptr)) &&
         !text.Takes(geckoprof_string_of(nullptr, 3)) && !text.Takes(geckoprof_int64(1))));
  const char* const texts[] = {"a", nullptr};
  const geckoprof_value values[] = {geckoprof_string("a"), geckoprof_int64(1)};
  CHECK((list.Takes(geckoprof_strings(texts, 1)) && list.Takes(geckoprof_strings(texts, 2)) &&
         !list.Takes(geckoprof_strings(nullptr, 1)) && list.Takes(geckoprof_strings(nullptr, 0))));
  CHECK((list.Takes(geckoprof_values_list(values, 1)) && !list.Takes(geckoprof_values_list(values, 2)) &&
         !list.Takes(geckoprof_string("a"))));
  OneField table(GECKOPROF_FIELD_VALUE, 0);
  table.field.format = GECKOPROF_TABLE GECKOPROF_COLUMN("a", "string") GECKOPROF_COLUMN("b", "integer");
  CHECK((table.Takes(geckoprof_rows(values, 2, 1)) && table.Takes(geckoprof_rows(nullptr, 2, 0))));
  CHECK((!table.Takes(geckoprof_rows(values, 1, 2)) && !table.Takes(geckoprof_rows(nullptr, 2, 1)) &&
         !table.Takes(geckoprof_rows(values, 2, UINT64_MAX)) && !table.Takes(geckoprof_values_list(values, 1)) &&
         !table.Takes(geckoprof_string("a")) && !list.Takes(geckoprof_rows(values, 2, 1))));
  const geckoprof_value no_cells[] = {geckoprof_string("a"), geckoprof_strings(texts, 1), geckoprof_flow(1),
                                      geckoprof_moment(1)};
  CHECK((!table.Takes(geckoprof_rows(no_cells, 2, 1)) && !table.Takes(geckoprof_rows(no_cells + 2, 2, 1))));
  const geckoprof_value two_rows[] = {geckoprof_int64(1), geckoprof_nothing(), geckoprof_string("b"),
                                      geckoprof_double(2)};
  const geckoprof_value text_as_number[] = {values[0], values[1], values[0], values[0]};
  const geckoprof_value no_integers[] = {values[0], geckoprof_duration_ns(5), values[0], geckoprof_bool(1)};
  CHECK((table.Takes(geckoprof_rows(two_rows, 2, 2)) && !table.Takes(geckoprof_rows(text_as_number, 2, 2)) &&
         !table.Takes(geckoprof_rows(no_integers, 2, 1)) && !table.Takes(geckoprof_rows(no_integers + 2, 2, 1))));
  CHECK((maybe.Takes(geckoprof_nothing()) && maybe.Takes(geckoprof_bool(0)) && !flag.Takes(geckoprof_nothing())));
  geckoprof_value unknown = geckoprof_int64(1);
  unknown.kind = 1000;
  CHECK((!number.Takes(unknown) && !maybe.Takes(unknown)));
  CHECK_FALSE(MarkerValues(&flag.type, {}).Fit());
  CHECK_FALSE(MarkerValues(nullptr, {values, 1}).Fit());
  CHECK(MarkerValues(nullptr, {}).Fit());
  CHECK_FALSE(MarkerValues(&flag.type, {static_cast<const geckoprof_value*>(nullptr), 1}).Fit());
}

TEST_CASE("values become the payload that marker_abi.h says") {
  const OneField maybe_text(GECKOPROF_FIELD_STRING, GECKOPROF_FIELD_OPTIONAL), list(GECKOPROF_FIELD_VALUE, 0),
      real(GECKOPROF_FIELD_DOUBLE, 0), flag(GECKOPROF_FIELD_BOOL, 0);
  CHECK(Written(maybe_text.type, {geckoprof_nothing()}) == std::string(1, '\0'));
  CHECK(Written(maybe_text.type, {geckoprof_string("ab")}) == "\1\2ab");
  CHECK(Written(flag.type, {geckoprof_bool(77)}) == "\1");
  const double two = 2;
  for (const geckoprof_value& value : {geckoprof_int64(2), geckoprof_uint64(2)}) {
    CHECK(Written(real.type, {value}) == std::string(reinterpret_cast<const char*>(&two), 8));
  }
  const char* const texts[] = {"a", "bc"};
  const std::string as_list = "\6\2\5\1a\5\2bc";
  CHECK(Written(list.type, {geckoprof_strings(texts, 2)}) == as_list);
  const char* const without[] = {"a", nullptr};
  CHECK(Written(list.type, {geckoprof_strings(without, 2)}) == std::string("\6\2\5\1a\5\0", 7));
  const geckoprof_value values[] = {geckoprof_string_of("ax", 1), geckoprof_string("bc")};
  CHECK(Written(list.type, {geckoprof_values_list(values, 2)}) == as_list);
}

TEST_CASE("a duration that there is not is null in a cell, as in a field") {
  OneField table(GECKOPROF_FIELD_VALUE, 0);
  table.field.format = GECKOPROF_TABLE GECKOPROF_COLUMN("a", "duration");
  const geckoprof_value none = geckoprof_duration_ns(GECKOPROF_NS_NONE), nothing = geckoprof_nothing();
  const std::string as_null = Written(table.type, {geckoprof_rows(&nothing, 1, 1)});
  CHECK(Written(table.type, {geckoprof_rows(&none, 1, 1)}) == as_null);
}

TEST_CASE("what has no list is written in place, byte for byte the same") {
  const OneField text(GECKOPROF_FIELD_STRING, 0), list(GECKOPROF_FIELD_VALUE, 0);
  const geckoprof_value value = geckoprof_string("in place"), empty = geckoprof_strings(nullptr, 0);
  const MarkerValues values(&text.type, {&value, 1});
  REQUIRE(values.HaveFixedSizes());
  CHECK_FALSE(MarkerValues(&list.type, {&empty, 1}).HaveFixedSizes());
  internal::PayloadSize size;
  values.WriteTo(size);
  std::string bytes(size.bytes(), '?');
  internal::PayloadInPlace place(bytes.data());
  values.WriteTo(place);
  CHECK(bytes == Written(text.type, {value}));
}

}  // namespace
}  // namespace geckoprof
