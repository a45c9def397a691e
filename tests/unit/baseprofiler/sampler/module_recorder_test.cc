#include "sampler/module_recorder.h"

#include <dlfcn.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>

#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

struct Fixture {
  TestSegment segment;
  MetadataWriter metadata{&segment.segment()};
  ModuleRecorder recorder{&metadata};
};

const LibraryRow* FindByPath(const ProcessProfile& profile, const std::string& path) {
  for (const LibraryRow& row : profile.libraries) {
    if (row.path == path) return &row;
  }
  return nullptr;
}

// The plugin, loaded as long as the object lives.
class Plugin {
 public:
  Plugin() : handle_(dlopen(CHURN_PLUGIN, RTLD_NOW | RTLD_LOCAL)) { REQUIRE(handle_ != nullptr); }
  ~Plugin() { Unload(); }
  uint64_t address() const { return reinterpret_cast<uintptr_t>(dlsym(handle_, "churn_plugin_work")); }
  void Unload() {
    if (handle_ != nullptr) dlclose(handle_);
    handle_ = nullptr;
  }

 private:
  void* handle_;
};

TEST_CASE("what is mapped is written with its range, path and time") {
  Fixture fixture;
  CHECK(fixture.recorder.Refresh(77 * kMs).empty());
  const ProcessProfile profile = ReadBack(fixture.segment);
  const LibraryRow* const own = FindByPath(profile, std::filesystem::read_symlink("/proc/self/exe").string());
  REQUIRE(own != nullptr);
  const auto here = reinterpret_cast<uintptr_t>(&FindByPath);
  CHECK(own->start_avma <= here);
  CHECK(own->end_avma > here);
  CHECK(own->mapped_ns == 77 * kMs);
  CHECK(own->unmapped_ns == 0);
}

TEST_CASE("a library that comes and goes is written with both times") {
  Fixture fixture;
  fixture.recorder.Refresh(10 * kMs);
  CHECK(FindByPath(ReadBack(fixture.segment), CHURN_PLUGIN) == nullptr);
  Plugin plugin;
  const uint64_t address = plugin.address();
  CHECK(fixture.recorder.Refresh(20 * kMs).empty());  // nothing went
  CHECK(fixture.recorder.table().Find(address) != nullptr);
  plugin.Unload();
  const std::span<const AddressRange> gone = fixture.recorder.Refresh(30 * kMs);
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].Contains(address));
  CHECK(fixture.recorder.table().Find(address) == nullptr);
  const ProcessProfile profile = ReadBack(fixture.segment);
  const LibraryRow* const row = FindByPath(profile, CHURN_PLUGIN);
  REQUIRE(row != nullptr);
  CHECK(row->mapped_ns == 20 * kMs);
  CHECK(row->unmapped_ns == 30 * kMs);
}

TEST_CASE("a library loaded again is another row") {
  Fixture fixture;
  for (int i = 1; i <= 3; ++i) {
    Plugin plugin;
    fixture.recorder.Refresh(i * 20 * kMs);
    plugin.Unload();
    fixture.recorder.Refresh(i * 20 * kMs + kMs);
  }
  size_t rows = 0;
  for (const LibraryRow& row : ReadBack(fixture.segment).libraries) rows += row.path == CHURN_PLUGIN;
  CHECK(rows == 3);
}

TEST_CASE("without a reason the list is read once a second; with one, every 5 ms at most") {
  Fixture fixture;
  fixture.recorder.Refresh(0);
  Plugin plugin;
  const uint64_t address = plugin.address();
  const auto is_known = [&] { return fixture.recorder.table().Find(address) != nullptr; };
  fixture.recorder.RefreshIfNeeded(999 * kMs, false);
  CHECK_FALSE(is_known());
  fixture.recorder.RefreshIfNeeded(1'000 * kMs, false);
  CHECK(is_known());

  plugin.Unload();
  CHECK(fixture.recorder.RefreshIfNeeded(1'004 * kMs, true).empty());  // too soon, but not forgotten
  CHECK(is_known());
  CHECK_FALSE(fixture.recorder.RefreshIfNeeded(1'005 * kMs, false).empty());
  CHECK_FALSE(is_known());
  CHECK(fixture.recorder.RefreshIfNeeded(1'011 * kMs, false).empty());

  Plugin again;
  fixture.recorder.NoteUnknownAddress();
  fixture.recorder.RefreshIfNeeded(1'020 * kMs, false);
  CHECK(fixture.recorder.table().Find(again.address()) != nullptr);
}

}  // namespace
}  // namespace geckoprof
