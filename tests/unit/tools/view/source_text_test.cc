#include "tools/view/source_text.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("source files are read; other things are not") {
  const DebugInfoSample folder;
  const std::string at = folder.folder();
  WriteBytes(at + "/a.c", "int a;\n");
  WriteBytes(at + "/empty.c", "");
  WriteBytes(at + "/binary", std::string("\x7f"
                                         "ELF\0\1",
                                         6));
  REQUIRE(
      folder.Run("ln -s a.c link.c; ln -s /proc/self/environ environ.c; ln -s nowhere gone.c; mkfifo fifo.c; "
                 "truncate -s 20M large.c; mkdir b"));
  REQUIRE(ReadSourceText(at + "/a.c").ok());
  CHECK(*ReadSourceText(at + "/a.c") == "int a;\n");
  CHECK(*ReadSourceText(at + "/link.c") == "int a;\n");
  CHECK(*ReadSourceText(at + "/b/../a.c") == "int a;\n");  // as compilers write names
  CHECK(ReadSourceText(at + "/empty.c")->empty());
  for (const char* name : {"/environ.c", "/gone.c", "/fifo.c", "/large.c", "/b", "/binary", "/none.c"}) {
    INFO(name);
    CHECK_FALSE(ReadSourceText(at + name).ok());
  }
  for (const char* path : {"", "a.c", "/proc/self/environ", "/dev/zero", "/sys/kernel/notes"}) {
    CHECK_FALSE(ReadSourceText(path).ok());
  }
  CHECK_FALSE(ReadSourceText(at + "/a.c" + std::string(1, '\0')).ok());
}

}  // namespace
}  // namespace geckoprof
