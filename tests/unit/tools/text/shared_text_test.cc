#include "tools/text/shared_text.h"

#include <string>

#include "catch2/catch.hpp"

namespace geckoprof {
namespace {

TEST_CASE("a text that several objects have is there once") {
  const std::string text = "/usr/bin/python3";
  const SharedText first(text), second("/usr/bin/python3"), other("/usr/bin/python");
  CHECK(*first == text);
  CHECK(&*first == &*second);
  CHECK(first == second);
  CHECK(first != other);
  CHECK(SharedText()->empty());
  CHECK(sizeof(SharedText) == sizeof(void*));
}

}  // namespace
}  // namespace geckoprof
