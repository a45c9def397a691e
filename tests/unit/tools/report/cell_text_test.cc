#include "tools/report/cell_text.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("numbers as a reader wants them") {
  CHECK(GroupedText(0) == "0");
  CHECK(GroupedText(999) == "999");
  CHECK(GroupedText(1000) == "1,000");
  CHECK(GroupedText(1234567) == "1,234,567");
  CHECK(GroupedText(1234.5) == "1,234.5");
  CHECK(GroupedText(0.05) == "0.1");
  CHECK(GroupedText(0.00307) == "0.0031");
  CHECK(GroupedText(1e300).size() == 401);
  CHECK(PercentText(1, 8) == "12.5 %");
  CHECK(PercentText(1, 0) == "0.0 %");
  CHECK(DurationText(0) == "0");
  CHECK(DurationText(0.34) == "340.0 us");
  CHECK(DurationText(12.34) == "12.3 ms");
  CHECK(DurationText(1500) == "1.500 s");
  CHECK(BytesText(0) == "0 bytes");
  CHECK(BytesText(1536) == "1.5 KiB");
  CHECK(BytesText(134217728) == "128.0 MiB");
  CHECK(BytesText(3e9) == "2.8 GiB");
}

TEST_CASE("what fits stays, what does not loses parameters first, then template arguments") {
  const std::string name = "std::vector<int, std::allocator<int> >::push_back(int const&)";
  CHECK(ShortFunctionName(name, 61) == name);
  CHECK(ShortFunctionName(name, 60) == "std::vector<int, std::allocator<int> >::push_back(...)");
  CHECK(ShortFunctionName(name, 40) == "std::vector<...>::push_back(...)");
  CHECK(ShortFunctionName(name, 0) == "std::vector<...>::push_back(...)");
  CHECK(ShortFunctionName("f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)",
                          30) == "f(std::string const&)");
}

TEST_CASE("brackets that are no lists are kept") {
  CHECK(ShortFunctionName("(anonymous namespace)::run(Options const&) const", 5) ==
        "(anonymous namespace)::run(...) const");
  CHECK(ShortFunctionName("demo::(anonymous namespace)::run(Options const&)", 5) ==
        "demo::(anonymous namespace)::run(...)");
  CHECK(ShortFunctionName("<alloc::vec::Vec<T,A> as core::ops::Drop>::drop", 5) ==
        "<alloc::vec::Vec<T,A> as core::ops::Drop>::drop");
  CHECK(ShortFunctionName("tick (file:///srv/a.js:1:2)", 5) == "tick (file:///srv/a.js:1:2)");
  CHECK(ShortFunctionName("main", 1) == "main");
  CHECK(ShortFunctionName("f(int)", 1) == "f(int)");  // dots would save nothing
  CHECK(ShortFunctionName("f(int)::{lambda(int, long)#"
                          "1}::operator()(int, long) const",
                          5) ==
        "f(int)::{lambda(int, long)#"
        "1}::operator()(...) const");
}

TEST_CASE("the signs of operators are no brackets") {
  CHECK(ShortFunctionName("demo::operator<(Left const&, Right const&)", 5) == "demo::operator<(...)");
  CHECK(ShortFunctionName("std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", 5) ==
        "std::operator<< <...>(...)");
  for (const std::string signs : {"-", "+", "==", ">", ">>", "->", "<=>", "()", "[]", ",", "<=", "!", "->*", ">>="}) {
    CHECK(ShortFunctionName("a::operator" + signs + "<unsigned long*, Left>(Left const&)", 5) ==
          "a::operator" + signs + "<...>(...)");
  }
  for (const std::string signs : {"<", "<<"}) {
    CHECK(ShortFunctionName("a::operator" + signs + " <unsigned long*, Left>(Left const&)", 5) ==
          "a::operator" + signs + " <...>(...)");
  }
  CHECK(ShortFunctionName("a::operator new[](unsigned long)", 5) == "a::operator new[](...)");
  CHECK(ShortFunctionName("Table<long, char>::operator->() const", 5) == "Table<...>::operator->() const");
  CHECK(ShortFunctionName("a::operator<=>(a::Left const&, a::Left const&)", 5) == "a::operator<=>(...)");
  CHECK(ShortFunctionName("operator", 1) == "operator");
  CHECK(ShortFunctionName("my_operator(Long, Longer)", 1) == "my_operator(...)");
}

TEST_CASE("without pairs a name stays as it is") {
  for (const char* name : {"a < b and more", "f(((", "f)))", "x<(>)", "->", "<", ")", "a[b(c]d)"}) {
    CHECK(ShortFunctionName(name, 1) == name);
  }
  CHECK(ShortFunctionName("", 0) == "");
  const std::string deep = "f" + std::string(1'000'000, '<');
  CHECK(ShortFunctionName(deep, 10) == deep);
  CHECK(ShortFunctionName(deep + std::string(1'000'000, '>'), 10) == "f<...>");
}

}  // namespace
}  // namespace geckoprof
