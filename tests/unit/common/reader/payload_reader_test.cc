#include "payload_reader.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "entry_bytes.h"
#include "recorded_times.h"

namespace geckoprof {
namespace {

struct Reading {
  explicit Reading(std::initializer_list<ClockPair> pairs = {}) {
    for (const ClockPair& pair : pairs) cycles.Add(pair);
    cycles.Finish();
  }
  // Reads one field; false if it was refused.
  bool One(MarkerFieldWire wire, const PayloadBytes& payload, uint64_t flags = 0) {
    const MarkerSites::Field field{tables.String("key"), wire, flags};
    Leb128Reader reader(payload.bytes());
    out.clear();
    const bool fine = payloads.Read(std::span(&field, 1), reader, out);
    left = reader.remaining();
    return fine;
  }
  std::string_view Text() const { return profile.strings[static_cast<size_t>(out.at(0).text)]; }

  ProcessProfile profile;
  SegmentTables tables{&profile};
  CycleTimes cycles;
  PayloadReader payloads{&tables, &cycles};
  std::vector<MarkerField> out;
  size_t left = 0;
};

TEST_CASE("payloads: numbers of each kind come back as they are") {
  Reading reading;
  for (const int64_t number : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX}) {
    REQUIRE(reading.One(MarkerFieldWire::kInt64, PayloadBytes().Fixed(number)));
    CHECK(reading.out.at(0).kind == MarkerFieldKind::kInteger);
    CHECK(reading.out.at(0).integer == number);
    REQUIRE(reading.One(MarkerFieldWire::kNs, PayloadBytes().Fixed(number)));
    // The smallest says that there is none (marker_abi.h).
    CHECK(reading.out.at(0).kind == (number == INT64_MIN ? MarkerFieldKind::kNull : MarkerFieldKind::kNs));
    CHECK((number == INT64_MIN || reading.out.at(0).integer == number));
  }
  REQUIRE(reading.One(MarkerFieldWire::kUint64, PayloadBytes().Fixed(UINT64_MAX)));
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kUnsigned);
  CHECK(static_cast<uint64_t>(reading.out.at(0).integer) == UINT64_MAX);
  for (const double number : {0.0, -0.5, 1e308, std::numeric_limits<double>::infinity()}) {
    REQUIRE(reading.One(MarkerFieldWire::kDouble, PayloadBytes().Fixed(number)));
    CHECK(reading.out.at(0).number == number);
  }
  REQUIRE(reading.One(MarkerFieldWire::kDouble, PayloadBytes().Fixed(std::nan(""))));
  CHECK(std::isnan(reading.out.at(0).number));
  REQUIRE(reading.One(MarkerFieldWire::kBool, PayloadBytes().Byte(1)));
  CHECK(reading.out.at(0).integer == 1);
  REQUIRE(reading.One(MarkerFieldWire::kBool, PayloadBytes().Byte(77)));
  CHECK(reading.out.at(0).integer == 1);
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kBool);
}

TEST_CASE("payloads: texts and flows") {
  Reading reading;
  REQUIRE(reading.One(MarkerFieldWire::kString, PayloadBytes().T("text")));
  CHECK(reading.Text() == "text");
  REQUIRE(reading.One(MarkerFieldWire::kString, PayloadBytes().T("")));
  CHECK(reading.Text().empty());
  REQUIRE(reading.One(MarkerFieldWire::kString, PayloadBytes().T(std::string_view("a\0b\xff", 4))));
  CHECK(reading.Text() == std::string_view("a\0b\xef\xbf\xbd", 6));
  for (const auto& [id, text] :
       {std::pair{uint64_t{0}, "0"}, std::pair{uint64_t{0xabc}, "abc"}, std::pair{UINT64_MAX, "ffffffffffffffff"},
        std::pair{uint64_t{1} << 63, "8000000000000000"}}) {
    REQUIRE(reading.One(MarkerFieldWire::kFlow, PayloadBytes().Fixed(id)));
    CHECK(reading.out.at(0).kind == MarkerFieldKind::kText);
    CHECK(reading.Text() == text);
  }
}

TEST_CASE("payloads: times are ns, or the counter's, and always those of a clock") {
  Reading without;
  REQUIRE(without.One(MarkerFieldWire::kTime, PayloadBytes().Fixed(uint64_t{12345})));
  CHECK(without.out.at(0).kind == MarkerFieldKind::kTime);
  CHECK(without.out.at(0).integer == 12345);
  REQUIRE(without.One(MarkerFieldWire::kTime, PayloadBytes().Fixed(kTimeIsCycles - 1)));
  CHECK(without.out.at(0).integer == kLatestNs);
  REQUIRE(without.One(MarkerFieldWire::kTime, PayloadBytes().Fixed(kTimeIsCycles | 1000)));
  CHECK(without.out.at(0).integer == 0);  // there is nothing to know it by
  Reading with({{1'000'000'000, 5'000'000'000}, {3'000'000'000, 6'000'000'000}});
  CHECK(with.payloads.ToNs(kTimeIsCycles | 2'000'000'000) == 5'500'000'000);
  CHECK(with.payloads.ToNs(2'000'000'000) == 2'000'000'000);
  CHECK(IsPlausibleTime(with.payloads.ToNs(UINT64_MAX)));
  CHECK(IsPlausibleTime(with.payloads.ToNs(kTimeIsCycles)));
}

TEST_CASE("payloads: an optional field is absent, present, or cut") {
  Reading reading;
  REQUIRE(reading.One(MarkerFieldWire::kInt64, PayloadBytes().Byte(0), kMarkerFieldOptional));
  CHECK(reading.out.empty());
  REQUIRE(reading.One(MarkerFieldWire::kInt64, PayloadBytes().Byte(1).Fixed(int64_t{5}), kMarkerFieldOptional));
  CHECK(reading.out.at(0).integer == 5);
  CHECK_FALSE(reading.One(MarkerFieldWire::kInt64, PayloadBytes(), kMarkerFieldOptional));
  CHECK_FALSE(reading.One(MarkerFieldWire::kInt64, PayloadBytes().Byte(1), kMarkerFieldOptional));
  CHECK(reading.out.empty());
}

// All tags in one value.
PayloadBytes EveryTag() {
  using Tag = MarkerValueTag;
  PayloadBytes payload;
  payload.Tag(Tag::kObject).U(3);
  payload.T("list").Tag(Tag::kArray).U(7).Tag(Tag::kNull).Tag(Tag::kFalse).Tag(Tag::kTrue).Tag(Tag::kInt).Z(-12);
  payload.Tag(Tag::kDouble).Fixed(0.5).Tag(Tag::kDouble).Fixed(std::nan("")).Tag(Tag::kString).T("a\"b\xff");
  payload.T("empty").Tag(Tag::kArray).U(0);
  payload.T("nested").Tag(Tag::kObject).U(1).T("").Tag(Tag::kObject).U(0);
  return payload;
}

TEST_CASE("payloads: lists and objects are kept as they are, other values become fields of their kind") {
  Reading reading;
  const PayloadBytes every_tag = EveryTag();
  REQUIRE(reading.One(MarkerFieldWire::kValue, every_tag));
  CHECK(reading.left == 0);
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kTagged);
  const std::span<const uint8_t> bytes = every_tag.bytes();
  CHECK(reading.Text() == std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  REQUIRE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(MarkerValueTag::kString).T("plain")));
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kText);
  CHECK(reading.Text() == "plain");
  REQUIRE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(MarkerValueTag::kNull)));
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kNull);
  for (const auto& [tag, value] : {std::pair{MarkerValueTag::kTrue, 1}, std::pair{MarkerValueTag::kFalse, 0}}) {
    REQUIRE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(tag)));
    CHECK(reading.out.at(0).kind == MarkerFieldKind::kBool);
    CHECK(reading.out.at(0).integer == value);
  }
  REQUIRE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(MarkerValueTag::kInt).Z(INT64_MIN)));
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kInteger);
  CHECK(reading.out.at(0).integer == INT64_MIN);
  REQUIRE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(MarkerValueTag::kUint).U(UINT64_MAX)));
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kUnsigned);
  CHECK(static_cast<uint64_t>(reading.out.at(0).integer) == UINT64_MAX);
  REQUIRE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(MarkerValueTag::kDouble).Fixed(0.5)));
  CHECK(reading.out.at(0).kind == MarkerFieldKind::kNumber);
  CHECK(reading.out.at(0).number == 0.5);
}

TEST_CASE("payloads: an object that is spread becomes fields of their own") {
  Reading reading;
  PayloadBytes payload;
  payload.Tag(MarkerValueTag::kObject).U(2).T("a").Tag(MarkerValueTag::kInt).Z(1);
  payload.T("b").Tag(MarkerValueTag::kString).T("two");
  REQUIRE(reading.One(MarkerFieldWire::kValue, payload, kMarkerFieldSpread));
  REQUIRE(reading.out.size() == 2);
  CHECK(reading.profile.strings[static_cast<size_t>(reading.out[0].key)] == "a");
  CHECK(reading.profile.strings[static_cast<size_t>(reading.out[1].key)] == "b");
  CHECK(reading.profile.strings[static_cast<size_t>(reading.out[1].text)] == "two");
  REQUIRE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(MarkerValueTag::kObject).U(0), kMarkerFieldSpread));
  CHECK(reading.out.empty());
  CHECK_FALSE(
      reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(MarkerValueTag::kArray).U(0), kMarkerFieldSpread));
  CHECK_FALSE(reading.One(MarkerFieldWire::kValue, PayloadBytes(), kMarkerFieldSpread));
}

TEST_CASE("payloads: of a key that is written twice the last counts, what every marker has is left out, both counted") {
  Reading reading;
  PayloadBytes payload;
  payload.Tag(MarkerValueTag::kObject).U(6).T("a").Tag(MarkerValueTag::kInt).Z(1);
  for (const char* key : {"type", "cause", "stack", ""}) payload.T(key).Tag(MarkerValueTag::kString).T("x");
  payload.T("a").Tag(MarkerValueTag::kString).T("last");
  REQUIRE(reading.One(MarkerFieldWire::kValue, payload, kMarkerFieldSpread));
  REQUIRE(reading.out.size() == 1);
  CHECK(reading.profile.strings[static_cast<size_t>(reading.out[0].key)] == "a");
  CHECK(reading.Text() == "last");
  CHECK(reading.payloads.lost_fields() == 5);
  // Another marker's.
  REQUIRE(reading.One(MarkerFieldWire::kValue,
                      PayloadBytes().Tag(MarkerValueTag::kObject).U(1).T("a").Tag(MarkerValueTag::kNull),
                      kMarkerFieldSpread));
  CHECK(reading.payloads.lost_fields() == 5);
}

TEST_CASE("payloads: every cut of every kind is refused") {
  Reading reading;
  const std::pair<MarkerFieldWire, PayloadBytes> wholes[] = {
      {MarkerFieldWire::kInt64, PayloadBytes().Fixed(int64_t{1})},
      {MarkerFieldWire::kUint64, PayloadBytes().Fixed(int64_t{1})},
      {MarkerFieldWire::kDouble, PayloadBytes().Fixed(1.5)},
      {MarkerFieldWire::kBool, PayloadBytes().Byte(1)},
      {MarkerFieldWire::kString, PayloadBytes().T("text")},
      {MarkerFieldWire::kTime, PayloadBytes().Fixed(int64_t{1})},
      {MarkerFieldWire::kNs, PayloadBytes().Fixed(int64_t{1})},
      {MarkerFieldWire::kFlow, PayloadBytes().Fixed(int64_t{1})},
      {MarkerFieldWire::kValue, EveryTag()},
  };
  for (const auto& [wire, whole] : wholes) {
    INFO(static_cast<int>(wire));
    REQUIRE(reading.One(wire, whole));
    for (size_t size = 0; size < whole.bytes().size(); ++size) {
      PayloadBytes cut;
      for (const uint8_t byte : whole.bytes().first(size)) cut.Byte(byte);
      CHECK_FALSE(reading.One(wire, cut));
      CHECK(reading.out.empty());
      if (wire == MarkerFieldWire::kValue) CHECK_FALSE(reading.One(wire, cut, kMarkerFieldSpread));
    }
  }
}

TEST_CASE("payloads: counts, tags and depths that nobody would write are refused") {
  Reading reading;
  using Tag = MarkerValueTag;
  CHECK_FALSE(reading.One(MarkerFieldWire::kString, PayloadBytes().U(UINT64_MAX).Byte('x')));
  CHECK_FALSE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(Tag::kArray).U(UINT64_MAX).Tag(Tag::kNull)));
  CHECK_FALSE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(Tag::kObject).U(UINT64_MAX).T("k")));
  CHECK_FALSE(
      reading.One(MarkerFieldWire::kValue, PayloadBytes().Tag(Tag::kObject).U(UINT64_MAX).T("k"), kMarkerFieldSpread));
  CHECK_FALSE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Byte(8)));
  CHECK_FALSE(reading.One(MarkerFieldWire::kValue, PayloadBytes().Byte(255)));
  const auto nested = [](int depth) {
    PayloadBytes payload;
    for (int i = 0; i < depth; ++i) payload.Tag(Tag::kArray).U(1);
    return payload.Tag(Tag::kNull);
  };
  CHECK(reading.One(MarkerFieldWire::kValue, nested(32)));
  CHECK_FALSE(reading.One(MarkerFieldWire::kValue, nested(33)));
  CHECK_FALSE(reading.One(MarkerFieldWire::kValue, nested(100'000)));
}

TEST_CASE("payloads: fields before a fault were taken, those after it were not") {
  Reading reading;
  const MarkerSites::Field fields[] = {{reading.tables.String("a"), MarkerFieldWire::kBool, 0},
                                       {reading.tables.String("b"), MarkerFieldWire::kInt64, 0},
                                       {reading.tables.String("c"), MarkerFieldWire::kBool, 0}};
  const PayloadBytes cut = PayloadBytes().Byte(1).Byte(2).Byte(3);
  Leb128Reader reader(cut.bytes());
  CHECK_FALSE(reading.payloads.Read(fields, reader, reading.out));
  REQUIRE(reading.out.size() == 1);
}

}  // namespace
}  // namespace geckoprof
