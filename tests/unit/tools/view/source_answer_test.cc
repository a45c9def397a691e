#include "tools/view/source_answer.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/view/sample_library.h"
#include "tools/text/concat.h"

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

std::string RequestText(const std::string& id, uint64_t address, const std::string& file) {
  return Concat(R"({"debugName":"libsample.so","debugId":")", id, R"(","moduleOffset":")", ApiNumber(address),
                R"(","file":")", file, "\"}");
}

TEST_CASE("only files that the debug information names, under exactly that name") {
  const SampleLibrary library;
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  SourcePaths paths;
  SourceAnswer source(libraries, symbolizer, paths);
  const std::string id = library.breakpad_id(), folder = library.sample().folder();
  const auto ask = [&](uint64_t address, const std::string& file) {
    return Json(source.Answer(Json(RequestText(id, address, file))).body);
  };
  WriteBytes(folder + "/secret.c", "secret");
  CHECK(ask(library.address(), library.source())["source"].AsString().find("SampleOuter") != std::string_view::npos);
  CHECK(ask(0, library.source())["source"].IsString());  // named elsewhere in the library
  for (const std::string& file : {folder + "/secret.c", folder + "/./sample.c", folder + "/x/../sample.c",
                                  folder + "//sample.c", std::string("sample.c"), std::string("/etc/passwd"),
                                  std::string("../../etc/passwd"), library.source() + "/../secret.c"}) {
    INFO(file);
    CHECK_FALSE(ask(library.address(), file)["source"].Exists());
    CHECK(ask(0, file)["error"].IsString());
  }
  // Named, but gone, or something else by now.
  REQUIRE(library.sample().Run("rm sample.c; mkfifo sample.c"));
  CHECK(ask(library.address(), library.source())["error"].IsString());
}

TEST_CASE("a file that was compiled under a relative name lies below the folder that the debug information names") {
  const SampleLibrary library("src/below.c");
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  SourcePaths paths;
  SourceAnswer source(libraries, symbolizer, paths);
  const std::string folder = library.sample().folder();
  const auto ask = [&](const std::string& file) {
    return Json(source.Answer(Json(RequestText(library.breakpad_id(), library.address(), file))).body);
  };
  CHECK(ask(folder + "/src/below.c")["source"].AsString().find("SampleOuter") != std::string_view::npos);
  CHECK_FALSE(ask("src/below.c")["source"].Exists());
  CHECK_FALSE(ask("below.c")["source"].Exists());
}

TEST_CASE("a file that was moved is found below a folder, by its old name and by the one that it has now") {
  const SampleLibrary library;
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  const std::string folder = library.sample().folder(), moved = folder + "/moved/sample.c";
  REQUIRE(library.sample().Run("mkdir moved && mv sample.c moved/ && echo secret > moved/secret.c"));
  SourcePaths paths;
  if (GENERATE(false, true)) {
    REQUIRE(paths.Add({folder + "/moved"}, {}).ok());
  } else {
    REQUIRE(paths.Add({}, {folder + "=" + folder + "/moved"}).ok());
  }
  SourceAnswer source(libraries, symbolizer, paths);
  const uint64_t address = GENERATE_REF(library.address(), uint64_t{0});
  const auto ask = [&](const std::string& file) {
    return Json(source.Answer(Json(RequestText(library.breakpad_id(), address, file))).body);
  };
  CHECK(ask(library.source())["source"].AsString().find("SampleOuter") != std::string_view::npos);
  CHECK(ask(moved)["source"].AsString().find("SampleOuter") != std::string_view::npos);
  CHECK(ask(folder + "/moved/secret.c")["error"].IsString());
  CHECK(ask(folder + "/secret.c")["error"].IsString());
}

TEST_CASE("requests that make no sense") {
  const SampleLibrary library;
  const ProfileLibraries libraries = library.Libraries();
  Symbolizer symbolizer(NoPlaces());
  SourcePaths paths;
  SourceAnswer source(libraries, symbolizer, paths);
  CHECK(source.Answer(Json("{}")).status == 400);
  CHECK(source.Answer(Json(R"({"moduleOffset":"0x1","file":3})")).status == 400);
  CHECK(Json(source.Answer(Json(RequestText("00", 1, library.source()))).body)["error"].IsString());
}

}  // namespace
}  // namespace geckoprof
