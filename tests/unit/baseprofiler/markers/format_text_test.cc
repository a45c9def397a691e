#include "baseprofiler/detail/format_text.h"

#include <cerrno>
#include <clocale>
#include <cstdint>
#include <string>

#include "catch2/catch.hpp"

namespace geckoprof::internal {
namespace {

template <typename... Arguments>
std::string Formatted(const char* format, const Arguments&... arguments) {
  return std::string(FormattedText<64>(format, arguments...).text());
}

enum class Color : int8_t { kRed = -3 };

TEST_CASE("formatted text: each kind of argument") {
  const char* const null = nullptr;
  CHECK(Formatted("{} {} {} {}", 1, -2, 3u, INT64_MIN) == "1 -2 3 -9223372036854775808");
  CHECK(Formatted("{} {} {}", true, 'c', UINT64_MAX) == "true c 18446744073709551615");
  CHECK(Formatted("{}{}{}", std::string("a"), std::string_view("b"), null) == "ab");
  CHECK(Formatted("{} {}", Color::kRed, reinterpret_cast<void*>(0x1a)) == "-3 0x1a");
  CHECK(Formatted("{} {} {} {}", 0.1, 1e300, 4.5, -0.0) == "0.1 1e+300 4.5 -0");
}

TEST_CASE("formatted text: specifications") {
  CHECK(Formatted("{:x} {:#X} {:08.3f} {:05d}", 255, 255, 3.14159, -42) == "ff 0XFF 0003.142 -0042");
  CHECK(Formatted("{:5}|{:<5}|{:>5}|{:5}|", 7, 7, "ab", "ab") == "    7|7    |   ab|ab   |");
  CHECK(Formatted("{:#06x} {:#07X}", 255, -255) == "0x00ff -0X00FF");
  CHECK(Formatted("{:.3} {:.2e} {:g}", "abcdef", 12345.678, 1e-5) == "abc 1.23e+04 1e-05");
  CHECK(Formatted("{{}} {:d} {:s}", true, false) == "{} 1 false");
}

TEST_CASE("formatted text: what has no room is cut") {
  const FormattedText<8> cut("{}{:9}", "abc", 1);
  CHECK((cut.text() == "abc     " && cut.was_cut()));
  const FormattedText<3> whole("{}", "abc");
  CHECK_FALSE(whole.was_cut());
  CHECK(Formatted("{:999}", 1).size() == 64);
}

TEST_CASE("formatted text: the locale and errno stay out of it") {
  const std::string before = setlocale(LC_ALL, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "de_DE.utf8", "C"}) {
    if (setlocale(LC_ALL, locale) == nullptr) continue;
    errno = 77;
    CHECK(Formatted("{} {:.1f}", 0.5, 2.25) == "0.5 2.2");
    CHECK(errno == 77);
  }
  setlocale(LC_ALL, before.c_str());
}

TEST_CASE("formatted text: the number of arguments is checked") {
  static_assert(CountFormatArguments("plain") == 0);
  static_assert(CountFormatArguments("{} {{}} {:.3f}") == 2);
  for (const char* bad : {"{", "}", "{:", "{:q}", "{:.}", "{0}", "{:5", "{name}"}) {
    INFO(bad);
    CHECK(CountFormatArguments(bad) == -1);
  }
}

}  // namespace
}  // namespace geckoprof::internal
