#include "tools/machine/cpu_list.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("lists of cores are read in both forms of the kernel, and written in the short one") {
  for (const auto& [text, short_text] : {std::pair{"0-3,8", "0-3,8"},
                                         {"0 1 2 3", "0-3"},
                                         {"5", "5"},
                                         {"0,18", "0,18"},
                                         {"", ""},
                                         {"7-", ""},
                                         {"x", ""},
                                         {"-1", ""},
                                         {"3-1", ""},
                                         {"1,9999999999999999999,2", "1"}}) {
    INFO(text);
    CHECK(CpuListText(ParseCpuList(text)) == short_text);
  }
  CHECK(ParseCpuList("0-4095,0-4095,0-4095").size() == 4096);
}

}  // namespace
}  // namespace geckoprof
