#include "tools/json/json_reader.h"

#include <rapidjson/document.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tools/json/json_view.h"
#include "tools/profile/profile_file.h"

namespace geckoprof {
namespace {

// How many of the pages that lie wholly in a range are in memory.
size_t PagesIn(const char* begin, const char* end) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
  const uintptr_t last = reinterpret_cast<uintptr_t>(end) / page * page;
  std::vector<unsigned char> there((last - first) / page);
  REQUIRE(mincore(reinterpret_cast<void*>(first), last - first, there.data()) == 0);
  return static_cast<size_t>(std::count_if(there.begin(), there.end(), [](unsigned char is) { return (is & 1) != 0; }));
}

TEST_CASE("what is behind the reader goes back, what is before it stays") {
  constexpr size_t kBytes = size_t{40} << 20;
  ConsumedText text(std::string(kBytes, 'x'));
  CHECK(text.size() == kBytes);
  text.ReadUpTo(text.data() + 100);
  CHECK(text.released_bytes() == 0);  // not worth the call yet
  char* const position = text.data() + kBytes / 2 + 3;
  text.ReadUpTo(position);
  CHECK(text.released_bytes() <= kBytes / 2 + 3);
  CHECK(text.released_bytes() > kBytes / 2 - 5000);
  CHECK(PagesIn(text.data(), text.data() + text.released_bytes()) == 0);
  CHECK(std::all_of(position, text.data() + kBytes, [](char byte) { return byte == 'x'; }));
  text.ReadUpTo(text.data() + kBytes);
  CHECK(text.released_bytes() > kBytes - 5000);
}

TEST_CASE("a small text stays where it is") {
  ConsumedText text("[1,2]");
  text.ReadUpTo(text.data() + 5);
  CHECK(std::string(text.data()) == "[1,2]");
}

struct Parsed {
  explicit Parsed(const std::string& json, bool only_utf8 = true, std::string_view thinned = {})
      : text(json),
        status(ReadJson(&text, &tree,
                        {.max_depth = 100,
                         .max_members = 4096,
                         .max_values = 1 << 20,
                         .only_utf8 = only_utf8,
                         .without_objects_in = thinned})),
        is_good(status.ok()) {}

  JsonView root() const { return JsonView(&tree, tree.root()); }

  ConsumedText text;
  JsonTree tree;
  const absl::Status status;
  const bool is_good;
};

std::string ErrorOf(const std::string& json) {
  const std::string message(Parsed(json).status.message());
  constexpr std::string_view kStart = "not valid JSON at byte ";
  return message.starts_with(kStart) ? message.substr(kStart.size()) : message;
}

bool SameValue(const rapidjson::Value& wanted, JsonView found) {
  if (wanted.IsObject()) {
    if (!found.IsObject() || found.size() != wanted.MemberCount()) return false;
    auto member = wanted.MemberBegin();
    bool same = true;
    found.ForEachMember([&](std::string_view key, JsonView value) {
      same = same && key == std::string_view(member->name.GetString(), member->name.GetStringLength()) &&
             SameValue(member->value, value);
      ++member;
    });
    return same;
  }
  if (wanted.IsArray()) {
    bool same = found.IsArray() && found.size() == wanted.Size();
    for (rapidjson::SizeType i = 0; same && i < wanted.Size(); ++i) same = SameValue(wanted[i], found.At(i));
    return same;
  }
  if (wanted.IsString())
    return found.IsString() && found.AsString() == std::string_view(wanted.GetString(), wanted.GetStringLength());
  if (wanted.IsInt64()) return found.AsInteger() == wanted.GetInt64();
  if (wanted.IsNumber()) return found.AsNumber() == wanted.GetDouble();
  if (wanted.IsBool()) return found.IsBool() && found.IsTrue() == wanted.GetBool();
  return found.TypeName() == "null";
}

// Compares the values, or the place of the error, with RapidJSON's DOM. The DOM converts numbers and checks UTF-8 by
// code of its own.
void CompareWithRapidJson(const std::string& json) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag>(json.data(), json.size());
  const Parsed parsed(json);
  const rapidjson::ParseErrorCode error = document.GetParseError();
  const size_t at = document.GetErrorOffset();
  INFO(json.substr(at < 40 ? 0 : at - 40, 80) << " error " << error << " at byte " << at);
  if (error == rapidjson::kParseErrorStringUnicodeSurrogateInvalid) return;       // U+FFFD here
  if (ErrorOf(json).ends_with("Number too big to be stored in double.")) return;  // the DOM has infinity for 10e308
  REQUIRE(parsed.is_good == !document.HasParseError());
  if (parsed.is_good) {
    REQUIRE(SameValue(document, parsed.root()));
  } else if (error != rapidjson::kParseErrorStringInvalidEncoding) {  // of which the string is named here
    REQUIRE(ErrorOf(json).starts_with(std::to_string(at) + ": "));
  }
}

TEST_CASE("what is JSON, and what is not") {
  for (const char* json : {"1",
                           " [ ] ",
                           "{}",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "[",
                           "]",
                           "{",
                           "}",
                           "\"",
                           "\"a",
                           "nul",
                           "nulll",
                           "true",
                           "false",
                           "True",
                           "\t\r\n1\n",
                           "\v1",
                           "01",
                           "-",
                           "-0",
                           "-01",
                           "1.",
                           ".1",
                           "1.5e",
                           "1e+",
                           "1e+5",
                           "1E-5",
                           "+1",
                           "0x1",
                           "1e5.5",
                           "--1",
                           "1-",
                           "[1]]",
                           "[[1]",
                           "\"\\u0041\"",
                           "\"\\u00\"",
                           "\"\\uzzzz\"",
                           "\"\\ud83d\\ude00\"",
                           "\"\\ud83d\"",
                           "\"\\ud83dx\"",
                           "\"\\ud83d\\u0041\"",
                           "\"\\u-123\"",
                           "\"\\q\"",
                           "\"\\\"",
                           "\"\\\\\"",
                           "\"a\\/\\b\\f\\n\\r\\tz\"",
                           "\"\x01\"",
                           "\"a\nb\"",
                           "\"\x7f\"",
                           "\"\xc3\xa4\"",
                           "\"\xff\"",
                           "\"\xc3\"",
                           "\"\xed\xa0\x80\"",
                           "{\"\":1}",
                           "{\"a\\u0062\":1}",
                           "[null,true,false,-1,1.5,\"x\",[],{}]",
                           "\"12345678\\\"90\"",
                           "\"1234567\\u0020\""}) {
    CompareWithRapidJson(json);
  }
}

TEST_CASE("half a surrogate pair is U+FFFD") {
  const std::pair<const char*, const char*> cases[] = {
      {R"(["\ud83d"])", "\xef\xbf\xbd"},
      {R"(["a\ud83dx"])", "a\xef\xbf\xbdx"},
      {R"(["\udE00b"])",
       "\xef\xbf\xbd"
       "b"},
      {R"(["\ude00\ud83d"])", "\xef\xbf\xbd\xef\xbf\xbd"},
      {R"(["\ud83d\u0041"])",
       "\xef\xbf\xbd"
       "A"},
      {R"(["\ud83d\n"])", "\xef\xbf\xbd\n"},
      {R"(["\ud83d\ud83d\ude00"])", "\xef\xbf\xbd\xf0\x9f\x98\x80"},
      {R"(["\"\ud83d\\\"a\ude00"])", "\"\xef\xbf\xbd\\\"a\xef\xbf\xbd"},
      {R"(["\\ud83d\\\ud83d"])", "\\ud83d\\\xef\xbf\xbd"},  // the first is no escape
  };
  for (const auto& [json, text] : cases) {
    INFO(json);
    const Parsed parsed(json);
    REQUIRE(parsed.is_good);
    CHECK(parsed.root().At(0).AsString() == text);
  }
  CHECK_FALSE(Parsed(R"(["\ud83d\uzzzz"])").is_good);  // that is no escape at all
  CHECK_FALSE(Parsed(R"(["\ud83d)").is_good);
  const Parsed member(R"({"\ude00":1})");
  CHECK(member.root()["\xef\xbf\xbd"].AsInteger() == 1);
}

TEST_CASE("numbers of every form have the nearest double") {
  std::mt19937_64 random(5);
  const auto digits = [&](size_t most) {
    std::string text;
    for (size_t i = 1 + random() % most; i > 0; --i) text += static_cast<char>('0' + random() % 10);
    return text;
  };
  for (int i = 0; i < 20'000; ++i) {
    std::string number = random() % 2 == 0 ? "-" : "";
    number += random() % 4 == 0 ? "0" : std::to_string(1 + random() % 9) + digits(20).substr(1);
    if (random() % 2 == 0) number += "." + digits(24);
    if (random() % 4 == 0) number += (random() % 2 == 0 ? "e-" : "E") + digits(2);
    const Parsed parsed(number);
    REQUIRE(parsed.is_good);
    const double wanted = strtod(number.c_str(), nullptr);
    INFO(number);
    if (const auto integer = parsed.root().AsInteger(); integer.has_value() && std::abs(wanted) < 1e15) {
      REQUIRE(static_cast<double>(*integer) == wanted);
    }
    REQUIRE(parsed.root().AsNumber() == wanted);
  }
}

TEST_CASE("numbers that RapidJSON alone would read wrongly") {
  const auto number = [](const std::string& text) { return Parsed(text).root().AsNumber(); };
  // Its powers of ten are rounded, and it drops digits behind the 17th.
  CHECK(number("1.0e23") == 1e23);
  CHECK(number("8.5e-23") == 8.5e-23);
  CHECK(number("0.000001234567890123") == 0.000001234567890123);
  CHECK(number("9007199254740993.0") == 9007199254740992.0);
  CHECK(number("123456789012345.67") == 123456789012345.67);
  CHECK(number("1.7976931348623157e308") == 1.7976931348623157e308);
  CHECK(ErrorOf("[1,10e308]") == "3: Number too big to be stored in double.");
  CHECK(ErrorOf("[1,-1.8e308]") == "3: Number too big to be stored in double.");
  CHECK(number("1e-99999999999999999999") == 0.0);
  // Its sum of the exponent and the digits behind the point wraps around in version 1.1.
  for (const char* const digits : {"0.1234567890123", "0.00000000000"}) {
    const std::string text = digits + std::string("e-2147483639");
    INFO(ErrorOf("[1," + text + "]"));
    CHECK((ErrorOf("[1," + text + "]") == "3: Exponent out of range." || number(text) == 0.0));
  }
}

TEST_CASE("spoiled files are judged and read as RapidJSON judges and reads them") {
  for (const char* name : {"demo_processed_69.json", "firefox_gecko_34.json"}) {
    const auto original = ReadProfileFile(std::string(GECKOPROF_GOLDEN_DIR "/") + name);
    REQUIRE(original.ok());
    CompareWithRapidJson(*original);
    const std::string piece = original->substr(0, 3000);
    std::mt19937 random(11);
    for (int i = 0; i < 3'000; ++i) {
      std::string spoiled = i % 2 == 0 ? *original : piece;
      constexpr std::string_view kBytes = "\"\\{}[]:,0-.eE nu\x01\xff";
      for (unsigned j = 1 + random() % 2; j > 0; --j)
        spoiled[random() % spoiled.size()] = kBytes[random() % kBytes.size()];
      CompareWithRapidJson(spoiled);
    }
  }
}

TEST_CASE("objects in arrays of the member named are checked and left out") {
  const std::string json =
      R"({"markers":{"schema":{"name":0},"data":[[1,{"a":[{"b":2}]}],[3]]},"other":[{"a":1}],"x":{"markers":[{"y":1},5]}})";
  const Parsed parsed(json, true, "markers");
  REQUIRE(parsed.is_good);
  const JsonView markers = parsed.root()["markers"];
  CHECK(markers["schema"]["name"].AsInteger() == 0);
  CHECK(markers["data"].At(0).size() == 2);
  CHECK(markers["data"].At(0).At(0).AsInteger() == 1);
  CHECK(markers["data"].At(0).At(1).TypeName() == "null");
  CHECK(markers["data"].At(1).At(0).AsInteger() == 3);
  CHECK(parsed.root()["other"].At(0)["a"].AsInteger() == 1);
  CHECK(parsed.root()["x"]["markers"].At(0).TypeName() == "null");
  CHECK(parsed.root()["x"]["markers"].At(1).AsInteger() == 5);
  // Objects behind the member, and those around it, stay.
  const Parsed ended(R"({"a":[{"markers":[[{}]],"x":[{"b":1}]},{"markers":2},{"b":3},[{"b":4}]]})", true, "markers");
  const JsonView elements = ended.root()["a"];
  CHECK(elements.At(0)["markers"].At(0).At(0).TypeName() == "null");
  CHECK(elements.At(0)["x"].At(0)["b"].AsInteger() == 1);
  CHECK(elements.At(1)["markers"].AsInteger() == 2);
  CHECK(elements.At(2)["b"].AsInteger() == 3);
  CHECK(elements.At(3).At(0)["b"].AsInteger() == 4);
  for (const char* wrong :
       {R"({"markers":[{"a":}]})", R"({"markers":[{"a":[1,"x]}]})", R"({"markers":[{"a":1e999}]})"}) {
    CHECK_FALSE(Parsed(wrong, true, "markers").is_good);
  }
}

TEST_CASE("the reader names the byte that is wrong") {
  CHECK(ErrorOf("") == "0: The document is empty.");
  CHECK(ErrorOf("  ") == "2: The document is empty.");
  CHECK(ErrorOf("[1 2]") == "3: Missing a comma or ] after an array element.");
  CHECK(ErrorOf("{\"a\":1 2}") == "7: Missing a comma or } after an object member.");
  CHECK(ErrorOf("{\"a\" 1}") == "5: Missing a colon after a name of object member.");
  CHECK(ErrorOf("[1e999]") == "1: Number too big to be stored in double.");
  CHECK(ErrorOf("[\"a") == "3: Missing a closing quotation mark in string.");
  CHECK(ErrorOf("[\"\xff\"]") == "2: Invalid encoding in string.");
  CHECK(ErrorOf("[nuxl]") == "3: Invalid value.");
  CHECK(ErrorOf(std::string("[1]\0", 4)) == "3: zero byte");
  CHECK(ErrorOf(std::string("[\"\0\"]", 5)) == "2: Invalid encoding in string.");
  CHECK(ErrorOf(std::string(" \0", 2)) == "1: Invalid value.");
  CHECK(ErrorOf("[\"a\\u00zz\"]") == "3: Incorrect hex digit after \\u escape in string.");
  CHECK(ErrorOf("[\"a\\ud83d\\u00zz\"]") == "9: Incorrect hex digit after \\u escape in string.");
  CHECK(ErrorOf("[\"a\\x\"]") == "3: Invalid escape character in string.");
  CHECK(ErrorOf("[\"a\\") == "3: Invalid escape character in string.");
  CHECK(ErrorOf("[\"a\nb\"]") == "3: Invalid encoding in string.");
  CHECK(ErrorOf("[-1.]") == "4: Miss fraction part in number.");
  CHECK(ErrorOf("[1e]") == "3: Miss exponent in number.");
  CHECK(ErrorOf("[-x]") == "2: Invalid value.");
}

TEST_CASE("limits of depth and of values") {
  CHECK(ErrorOf(std::string(100, '[') + std::string(100, ']')) == "");
  CHECK(ErrorOf(std::string(1'000'000, '[')) == "101: nested deeper than 100");
  std::string values = "[0";
  for (int i = 0; i < 1 << 20; ++i) values += ",0";
  CHECK(ErrorOf(values + "]") == "2097151: more than 1048576 values");
}

TEST_CASE("a text of many megabytes, of which nothing is there any more in the end") {
  std::string json = "[\"first\"";
  for (int i = 0; i < 300'000; ++i)
    json += ",{\"name\":\"text \\u0041 " + std::string(40, 'x') + std::to_string(i) + "\"}";
  const Parsed parsed(json + "]");
  REQUIRE(parsed.is_good);
  CHECK(parsed.root().size() == 300'001);
  CHECK(parsed.root().At(0).AsString() == "first");
  CHECK(parsed.root().At(1)["name"].AsString() == "text A " + std::string(40, 'x') + "0");
  CHECK(parsed.root().At(300'000)["name"].AsString() == "text A " + std::string(40, 'x') + "299999");
}

}  // namespace
}  // namespace geckoprof
