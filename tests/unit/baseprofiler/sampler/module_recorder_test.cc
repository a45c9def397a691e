#include "sampler/module_recorder.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
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
  SampleWriter samples{&segment.segment()};
  std::atomic<uint32_t> unloads{0};
  ModuleRecorder recorder{&metadata, &samples, &unloads};
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

// Returns whether the list was read.
bool ReadIfDue(ModuleRecorder& recorder, int64_t now_ns) {
  const bool is_due = recorder.IsDue(now_ns);
  if (is_due) recorder.Refresh(now_ns);
  return is_due;
}

TEST_CASE("what is mapped is written with its range, path and time") {
  Fixture fixture;
  fixture.recorder.Refresh(77 * kMs);
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
  fixture.recorder.Refresh(20 * kMs);
  CHECK(fixture.recorder.table().Find(address) != nullptr);
  plugin.Unload();
  fixture.recorder.Refresh(30 * kMs);
  CHECK(fixture.recorder.table().Find(address) == nullptr);
  const ProcessProfile profile = ReadBack(fixture.segment);
  const LibraryRow* const row = FindByPath(profile, CHURN_PLUGIN);
  REQUIRE(row != nullptr);
  CHECK(row->mapped_ns == 20 * kMs);
  CHECK(row->unmapped_ns == 30 * kMs);
}

TEST_CASE("a library that comes and goes at one time, or at one that is read too early, was there for a while") {
  const int64_t read_ns = GENERATE(20 * kMs, 19 * kMs);
  Fixture fixture;
  fixture.recorder.Refresh(10 * kMs);
  Plugin plugin;
  fixture.recorder.Refresh(20 * kMs);
  plugin.Unload();
  fixture.recorder.Refresh(read_ns);
  CHECK(fixture.recorder.last_read_ns() == 20 * kMs + 1);
  const ProcessProfile profile = ReadBack(fixture.segment);
  const LibraryRow* const row = FindByPath(profile, CHURN_PLUGIN);
  REQUIRE(row != nullptr);
  CHECK(row->mapped_ns == 20 * kMs);
  CHECK(row->unmapped_ns == 20 * kMs + 1);
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

TEST_CASE(
    "without a reason the list is read once a second; for an unknown address soon, unless that told nothing new") {
  Fixture fixture;
  fixture.recorder.Refresh(0);
  Plugin plugin;
  const auto read_if_due = [&](int64_t now_ns) { return ReadIfDue(fixture.recorder, now_ns); };
  const auto is_known = [&] { return fixture.recorder.table().Find(plugin.address()) != nullptr; };
  CHECK_FALSE(read_if_due(999 * kMs));
  CHECK_FALSE(is_known());
  CHECK(read_if_due(1'000 * kMs));
  CHECK(is_known());
  fixture.recorder.NoteUnknownAddress();
  CHECK(fixture.recorder.is_stale());
  const int64_t soon_ns = 1'000 * kMs + fixture.recorder.pause_ns();
  CHECK_FALSE(read_if_due(soon_ns - 1));  // but not forgotten
  CHECK(read_if_due(soon_ns));
  CHECK_FALSE(fixture.recorder.is_stale());
  fixture.recorder.Refresh(2'000 * kMs);  // the same as before
  fixture.recorder.NoteUnknownAddress();
  CHECK_FALSE(read_if_due(2'005 * kMs - 1));
  CHECK(read_if_due(2'005 * kMs));
  CHECK_FALSE(read_if_due(2'015 * kMs));
}

TEST_CASE("after a library was unloaded the list is read soon, and an address in it is unknown then") {
  Fixture fixture;
  Plugin plugin;
  const uint64_t address = plugin.address();
  fixture.recorder.Refresh(0);
  plugin.Unload();
  fixture.unloads = 2;
  CHECK(fixture.recorder.is_stale());
  CHECK_FALSE(fixture.recorder.is_wanted());
  const int64_t pause_ns = fixture.recorder.pause_ns();
  CHECK(pause_ns >= kMs);
  CHECK(pause_ns <= 5 * kMs);
  CHECK_FALSE(ReadIfDue(fixture.recorder, pause_ns - 1));
  CHECK(fixture.recorder.table().Find(address) != nullptr);  // stacks from before are looked up there
  CHECK(ReadIfDue(fixture.recorder, pause_ns));
  CHECK(fixture.recorder.table().Find(address) == nullptr);
  CHECK_FALSE(fixture.recorder.is_stale());
}

}  // namespace
}  // namespace geckoprof
