#include "tools/symbols/held_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("a file is as it was until anything about it changes") {
  const DebugInfoSample folder;
  const std::string path = folder.folder() + "/file", other = folder.folder() + "/other";
  const FileIdentity none = FileIdentity::Of(path);
  CHECK_FALSE(none.exists);
  CHECK(none.IsStillSo());
  WriteBytes(path, "12345");
  CHECK_FALSE(none.IsStillSo());
  const FileIdentity first = FileIdentity::Of(path);
  CHECK(first.exists);
  CHECK(first.size_bytes == 5);
  CHECK(first.IsStillSo());
  // Another time, set by somebody.
  const timespec times[2] = {{1, 0}, {1'000'000'000, 7}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  const FileIdentity touched = FileIdentity::Of(path);
  CHECK(touched.modified_ns == 1'000'000'000'000'000'007);
  CHECK_FALSE(touched == first);
  // Another file of the same size and time.
  WriteBytes(other, "54321");
  REQUIRE(utimensat(AT_FDCWD, other.c_str(), times, 0) == 0);
  REQUIRE(rename(other.c_str(), path.c_str()) == 0);
  CHECK_FALSE(touched.IsStillSo());
  REQUIRE(unlink(path.c_str()) == 0);
  CHECK(none.IsStillSo());
}

Fd OpenFile(const std::string& path) { return Fd::Open(path.c_str(), O_RDONLY); }

TEST_CASE("a held file gives names when it is gone") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  HeldFiles files;
  const HeldFile* const held = files.AddObject(OpenFile(sample.library()), sample.library());
  REQUIRE(held != nullptr);
  REQUIRE(held->build_id().size() == 20);
  REQUIRE(sample.Run("rm libsample.so"));
  CHECK(files.FindObject({1, 0}, 0x1000, sample.library(), held->build_id()) == held);
  CHECK(files.FindObject({1, 0}, 0x1000, sample.library(), std::string(20, 'x')) == nullptr);
  CHECK(files.FindObject({1, 0}, 0x1000, "/other", held->build_id()) == nullptr);
  CHECK(files.FindObject({1, 0}, 0x1000, sample.library(), "") == nullptr);

  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  SymbolLibrary& library = symbolizer.Library(sample.library(), held->build_id(), held);
  CHECK(library.state() == SymbolLibrary::State::kLoaded);
  CHECK(library.has_lines());
  CHECK(symbolizer.Problems().empty());
  CHECK(symbolizer.Library(sample.library(), held->build_id()).state() == SymbolLibrary::State::kUnreadable);
}

TEST_CASE("a file without a build id is that of its process") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  REQUIRE(sample.Run("gcc -shared -Wl,--build-id=none sample.o -o libsample.so"));
  HeldFiles files;
  const HeldFile* const old = files.AddObject(OpenFile(sample.library()), sample.library());
  REQUIRE(old != nullptr);
  CHECK(old->build_id().empty());
  files.AddMapping({7, 1}, 0x1000, old);
  CHECK(files.FindObject({7, 1}, 0x1000, sample.library(), "") == old);
  CHECK(files.FindObject({7, 2}, 0x1000, sample.library(), "") == nullptr);
  CHECK(files.FindObject({7, 1}, 0x2000, sample.library(), "") == nullptr);
  CHECK(files.FindObject({7, 1}, 0x1000, "/other", "") == nullptr);

  // Another build takes its place: the names are still those of the first.
  REQUIRE(
      sample.Run("sed s/SampleOuter/SampleOther/ sample.c >other.c && gcc -fPIC -shared -O2 -g "
                 "-Wl,--build-id=none other.c -o other.so && mv other.so libsample.so"));
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  SymbolLibrary& library = symbolizer.Library(sample.library(), "", old);
  CHECK(symbolizer.Problems().empty());
  bool has_name = false, has_other = false;
  for (uint64_t svma = 0x1000; svma < 0x1400; ++svma) {
    const AddressSymbols* const found = symbolizer.FindIn(library, svma);
    has_name |= found != nullptr && found->symbol == "SampleOuter";
    has_other |= found != nullptr && found->symbol == "SampleOther";
  }
  CHECK(has_name);
  CHECK_FALSE(has_other);
}

TEST_CASE("a file without a build id that was written to is not used") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  const bool is_truncated = GENERATE(false, true);
  REQUIRE(sample.Run("gcc -shared -Wl,--build-id=none sample.o -o libsample.so"));
  HeldFiles files;
  const HeldFile* const held = files.AddObject(OpenFile(sample.library()), sample.library());
  REQUIRE(held != nullptr);
  REQUIRE(held->Open().ok());
  REQUIRE(sample.Run(is_truncated ? "truncate -s 100 libsample.so" : "touch -d '2001-01-01' libsample.so"));
  CHECK(absl::IsFailedPrecondition(held->Open().status()));
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  CHECK(symbolizer.Library(sample.library(), "", held).state() == SymbolLibrary::State::kMismatched);
  REQUIRE(symbolizer.Problems().size() == 1);
  CHECK(symbolizer.Problems()[0].find("was written to") != std::string::npos);
}

TEST_CASE("what is removed is not found any more, and all else is") {
  DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  HeldFiles files;
  const HeldFile* const first = files.AddObject(OpenFile(sample.library()), sample.library());
  const HeldFile* const second = files.AddObject(OpenFile(sample.library()), sample.library());
  REQUIRE((first != nullptr && second != nullptr));
  const std::string build_id = first->build_id();
  files.AddMapping({7, 1}, 0x1000, first);
  files.AddMapping({8, 1}, 0x1000, second);
  files.RemoveObject(first);
  CHECK(files.FindObject({7, 1}, 0x1000, sample.library(), build_id) == second);  // it has the same name
  CHECK(files.FindObject({7, 1}, 0x1000, sample.library(), "") == nullptr);
  CHECK(files.FindObject({8, 1}, 0x1000, sample.library(), "") == second);
  files.JitFilesOf({8, 1}).emplace_back();
  files.RemoveProcess({8, 1});
  CHECK(files.FindJitFiles({8, 1}) == nullptr);
  CHECK(files.FindObject({8, 1}, 0x1000, sample.library(), "") == nullptr);
  files.RemoveObject(second);
  CHECK(files.FindObject({7, 1}, 0x1000, sample.library(), build_id) == nullptr);
}

TEST_CASE("what is no object is not held") {
  DebugInfoSample folder;
  WriteBytes(folder.folder() + "/text", "no ELF file");
  HeldFiles files;
  CHECK(files.AddObject(OpenFile(folder.folder() + "/text"), "/text") == nullptr);
  CHECK(files.AddObject(Fd(), "/closed") == nullptr);
  CHECK(files.FindJitFiles({1, 0}) == nullptr);
  files.JitFilesOf({1, 0}).push_back({OpenFile(folder.folder() + "/text"), {}});
  REQUIRE(files.FindJitFiles({1, 0}) != nullptr);
  CHECK(files.FindJitFiles({1, 0})->size() == 1);
  CHECK(files.FindJitFiles({1, 1}) == nullptr);
}

}  // namespace
}  // namespace geckoprof
