#include "tools/processed_format/missing_names.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

void Add(MissingNames& names, int named, int made, int library) {
  for (int i = 0; i < named + made + library; ++i) names.AddSample();
  for (int i = 0; i < made; ++i) names.AddMadeCode(i % 4 == 3 ? "other" : "node");
  for (int i = 0; i < library; ++i) names.AddLibrary("/usr/lib/libfoo.so.1");
}

TEST_CASE("few missing names are not worth a line") {
  MissingNames none, few, small;
  CHECK(none.Note().empty());
  Add(few, 0, 19, 0);
  CHECK(few.Note().empty());
  Add(small, 1000, 100, 100);
  CHECK(small.Note().empty());
}

TEST_CASE("many missing names come with the way to get them") {
  MissingNames made;
  Add(made, 60, 40, 0);
  CHECK(made.Note() ==
        "40 % of the samples are in code without names that node and 1 other made at run time. Start it with "
        "--perf-prof or --perf-basic-prof.");
  MissingNames library;
  Add(library, 60, 0, 40);
  CHECK(library.Note().find("40 % of the samples are in libfoo.so.1, whose symbols are not here.") == 0);
  CHECK(library.Note().find("DEBUGINFOD_URLS") != std::string::npos);
  MissingNames both;
  Add(both, 20, 40, 40);
  CHECK(both.Note().find("node") < both.Note().find("libfoo"));
  MissingNames unknown;
  for (int i = 0; i < 30; ++i) {
    unknown.AddSample();
    unknown.AddMadeCode("own-runtime");
  }
  CHECK(unknown.Note().find("/tmp/perf-PID.map") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
