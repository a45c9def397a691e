#include "tools/convert/imported_model.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("lines and numbers") {
  std::string_view text = "a\r\n\nlast";
  CHECK(TakeLine(&text) == "a");
  CHECK(TakeLine(&text).empty());
  CHECK(TakeLine(&text) == "last");
  CHECK(text.empty());
  CHECK(WholeNumber("1.5") == 1.5);
  for (const char* no : {"", "1x", "nan", "inf", "-inf", "1e999", " 1"}) CHECK_FALSE(WholeNumber(no).has_value());
}

TEST_CASE("an import is put in order") {
  ProfileModel model = EmptyImport("x");
  CHECK_FALSE(FinishImport(&model).ok());  // no sample
  model.processes.push_back({"1", "", 0});
  ProfileThread thread;
  thread.samples = {{5, 1, -1, kNoRow}, {2, 1, -1, kNoRow}};
  model.threads = {thread, thread};
  CHECK(FinishImport(&model).ok());
  CHECK(model.threads[0].samples[0].time_ms == 2);
  CHECK(model.threads[0].is_main);
  CHECK_FALSE(model.threads[1].is_main);
  CHECK(model.duration_ms == 5);
}

}  // namespace
}  // namespace geckoprof
