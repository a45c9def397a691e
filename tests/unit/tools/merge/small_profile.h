#ifndef GECKOPROF_TESTS_UNIT_TOOLS_MERGE_SMALL_PROFILE_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_MERGE_SMALL_PROFILE_H_

#include <cstdint>
#include <string>

namespace geckoprof {

// SmallProfile is the text of a processed profile with one row or two of everything that a merge must change. Process
// 100 has the program "100", whose parent is 50, and then "100.1". Both have a thread. The stack of their samples is
// "main", "work" in the library "lib.so". The first thread has a marker of each phase.
struct SmallProfile {
  int version = 66;
  double start_ms = 1e12;
  int64_t monotonic_ns = 5'000'000'000;
  std::string boot_id;
  std::string time_unit = "ms", cpu_unit = "ns";
  double interval_ms = 1;
  std::string function = "work";  // the innermost one
  std::string categories = R"([{"name":"Other","color":"grey","subcategories":["Other"]},)"
                           R"({"name":"User","color":"yellow","subcategories":["Other","Deep"]}])";
  std::string schemas =
      R"([{"name":"Step","display":["marker-chart"],"fields":[{"key":"what","format":"unique-string"},)"
      R"({"key":"due","format":"time"}]}])";

  std::string Text() const;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_MERGE_SMALL_PROFILE_H_
