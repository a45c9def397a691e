#include "tools/json/json_tree_builder.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/json/json_view.h"

namespace geckoprof {
namespace {

// A tree of one array, and how many bytes it took.
struct Built {
  JsonTree tree;

  explicit Built(const std::function<size_t(JsonTreeBuilder&)>& put) {
    JsonTreeBuilder builder(&tree);
    builder.StartContainer();
    const size_t count = put(builder);
    REQUIRE(builder.EndArray(count));
    builder.Finish();
  }
  JsonView root() const { return JsonView(&tree, tree.root()); }
};

// An array of a thousand of these numbers, again and again, with a null at the end.
void CheckColumn(const std::vector<int64_t>& numbers, size_t bytes_each) {
  const Built built([&](JsonTreeBuilder& builder) {
    for (size_t i = 0; i < 1000; ++i) builder.Integer(numbers[i % numbers.size()]);
    builder.Null();
    return 1001;
  });
  REQUIRE(built.root().size() == 1001);
  bool same = true;
  for (size_t i = 0; i < 1000; ++i) same = same && built.root().At(i).AsInteger() == numbers[i % numbers.size()];
  CHECK(same);
  CHECK(built.root().At(1000).TypeName() == "null");
  CHECK_FALSE(built.root().At(1001).Exists());
  CHECK(built.tree.size_bytes() == 1001 * bytes_each + 10);
}

TEST_CASE("an array of whole numbers takes what its widest one takes") {
  CheckColumn({0, 127, -127}, 1);
  CheckColumn({0, -128}, 2);
  CheckColumn({32767, -32767}, 2);
  CheckColumn({-32768}, 4);
  CheckColumn({INT32_MAX, INT32_MIN + 1}, 4);
  CheckColumn({INT32_MIN}, 8);
  CheckColumn({INT64_MAX, INT64_MIN + 1}, 8);
}

TEST_CASE("what no column can hold is kept as it is") {
  const Built lowest([](JsonTreeBuilder& builder) {
    for (int i = 0; i < 300; ++i) builder.Integer(INT64_MIN);  // is the mark of null in a column
    return 300;
  });
  CHECK(lowest.root().At(299).AsInteger() == INT64_MIN);
  const Built inexact([](JsonTreeBuilder& builder) {
    for (int i = 0; i < 300; ++i) builder.Integer((int64_t{1} << 53) + 1);
    builder.Double(0.5);
    return 301;
  });
  CHECK(inexact.root().At(7).AsInteger() == (int64_t{1} << 53) + 1);
  CHECK(inexact.root().At(300).AsNumber() == 0.5);
}

TEST_CASE("numbers with and without a fraction, and nulls, are a column of eight bytes each") {
  const Built built([](JsonTreeBuilder& builder) {
    for (int i = 0; i < 1000; ++i) builder.Double(i + 0.25);
    builder.Integer(-3);
    builder.Null();
    return 1002;
  });
  CHECK(built.root().At(999).AsNumber() == 999.25);
  CHECK(built.root().At(1000).AsInteger() == -3);
  CHECK(built.root().At(1001).TypeName() == "null");
  CHECK(built.tree.size_bytes() == 1002 * 8 + 10);
}

TEST_CASE("containers and strings of each size") {
  for (const size_t count : {0, 1, 100, 255, 256, 1000}) {
    for (const size_t length : {0, 3, 255, 256, 70'000}) {
      if (count * length > 20'000'000) continue;
      const Built built([&](JsonTreeBuilder& builder) {
        for (size_t i = 0; i < count; ++i) {
          builder.StartContainer();
          builder.Key("name");
          builder.String(std::string(length, static_cast<char>('a' + i % 26)));
          builder.Key("row");
          builder.Integer(static_cast<int64_t>(i));
          REQUIRE(builder.EndObject(2));
        }
        return count;
      });
      REQUIRE(built.root().IsArray());
      REQUIRE(built.root().size() == count);
      for (size_t i = 0; i < count; ++i) {
        const JsonView row = built.root().At(i);
        if (row["row"].AsInteger() == static_cast<int64_t>(i) && row["name"].AsString().size() == length) continue;
        FAIL("row " << i << " of " << count << " with texts of " << length);
      }
    }
  }
}

TEST_CASE("more names than are kept once") {
  constexpr size_t kObjects = 70'000;
  const Built built([](JsonTreeBuilder& builder) {
    for (size_t i = 0; i < kObjects; ++i) {
      builder.StartContainer();
      builder.Key("name" + std::to_string(i));
      builder.Bool(true);
      builder.Key(std::string(100, 'n'));
      builder.Null();
      builder.Key("");
      builder.Bool(false);
      REQUIRE(builder.EndObject(3));
    }
    return kObjects;
  });
  for (const size_t i : {size_t{0}, size_t{127}, size_t{20'000}, kObjects - 1}) {
    const JsonView row = built.root().At(i);
    CHECK(row["name" + std::to_string(i)].IsTrue());
    CHECK(row[std::string(100, 'n')].TypeName() == "null");
    CHECK(row[""].TypeName() == "boolean");
    CHECK_FALSE(row["name"].Exists());
  }
}

}  // namespace
}  // namespace geckoprof
