#include "geckoprof/unwind/fde_finder.h"

#include <catch2/catch.hpp>

#include "cfi_builder.h"

using namespace geckoprof;

namespace {

constexpr uint64_t kBias = 0x7f0000000000;

// Functions [0x1000, 0x1100), [0x1100, 0x1180) and [0x4000, 0x4010); a second CIE for the last one.
struct Fixture {
  CfiBuilder cfi;
  FdeFinder finder;
  FrameDescription description;
  std::unique_ptr<Module> module;

  explicit Fixture(bool with_table) {
    cfi.AddCie("zR", {0x0c, 7, 8});
    cfi.AddFde(0x1000, 0x100, {});
    cfi.AddFde(0x1100, 0x80, {});
    cfi.AddCie("zR", {0x0c, 7, 8}, -4);
    cfi.AddFde(0x4000, 0x10, {});
    cfi.AddEnd();
    module =
        Module::ForTest(7, {kBias, kBias + 0x200000}, kBias, with_table ? cfi.Header() : SectionBytes(), cfi.Section());
  }
  // Where the function that covers `svma` begins; 0 if there is none.
  uint64_t StartOf(uint64_t svma) {
    return finder.Find(*module, kBias + svma, description) ? description.start_svma : 0;
  }
};

void CheckAll(Fixture& f) {
  for (int round = 0; round < 2; ++round) {
    CHECK(f.StartOf(0xfff) == 0);
    CHECK(f.StartOf(0x1000) == 0x1000);
    CHECK(f.StartOf(0x10ff) == 0x1000);
    CHECK(f.StartOf(0x1100) == 0x1100);
    CHECK(f.description.data_alignment == -8);
    CHECK(f.StartOf(0x117f) == 0x1100);
    CHECK(f.StartOf(0x1180) == 0);  // between two functions
    CHECK(f.StartOf(0x400f) == 0x4000);
    CHECK(f.description.data_alignment == -4);
    CHECK(f.StartOf(0x4010) == 0);
  }
}

}  // namespace

TEST_CASE("entries are found through the linker's table") {
  Fixture f(true);
  CheckAll(f);
}

TEST_CASE("entries are found through an index where there is no table") {
  Fixture f(false);
  CheckAll(f);
}

TEST_CASE("an index does not need entries in order of address, and belongs to one module") {
  Fixture f(false);
  CfiBuilder other;
  other.AddCie("zR", {0x0c, 7, 8});
  other.AddFde(0x9000, 0x10, {});
  other.AddFde(0x1000, 0x10, {});
  CHECK(f.StartOf(0x4000) == 0x4000);
  f.module = Module::ForTest(8, {kBias, kBias + 0x200000}, kBias, SectionBytes(), other.Section());
  CHECK(f.StartOf(0x9008) == 0x9000);
  CHECK(f.StartOf(0x1008) == 0x1000);
  CHECK(f.StartOf(0x4000) == 0);
}

TEST_CASE("a module without unwind data has no entries; a table that points elsewhere gives none") {
  Fixture f(true);
  f.module = Module::ForTest(9, {kBias, kBias + 0x200000}, kBias, SectionBytes(), SectionBytes());
  CHECK(f.StartOf(0x1000) == 0);
  Fixture g(true);
  const SectionBytes table = g.cfi.Header();
  std::vector<uint8_t> header(table.data, table.data + table.size_bytes);
  // Behind 12 bytes, each row: where the function begins, where its entry is.
  for (size_t i = 12 + 7; i < header.size(); i += 8) header[i] = 0x7f;
  g.module = Module::ForTest(10, {kBias, kBias + 0x200000}, kBias,
                             {header.data(), header.size(), CfiBuilder::kHeaderSvma}, g.cfi.Section());
  CHECK(g.StartOf(0x1000) == 0);
}

TEST_CASE("code that .eh_frame does not describe is found in .debug_frame, and only such code") {
  Fixture f(true);
  CfiBuilder debug(CfiBuilder::Form::kDebugFrame);
  debug.AddCie("", {0x0c, 7, 8}, -2);
  debug.AddFde(0x2000, 0x20, {});
  debug.AddFde(0x1100, 0x200, {});
  f.module->SetDebugFrameForTest(debug.Section());
  CHECK(f.StartOf(0x1000) == 0x1000);
  CHECK_FALSE(f.description.is_of_debug_frame);
  CHECK(f.StartOf(0x201f) == 0x2000);
  CHECK(f.description.is_of_debug_frame);
  CHECK(f.description.data_alignment == -2);
  CHECK(f.StartOf(0x1150) == 0x1100);
  CHECK(f.description.data_alignment == -8);
  CHECK(f.StartOf(0x1250) == 0x1100);
  CHECK(f.description.data_alignment == -2);
  CHECK(f.StartOf(0x2020) == 0);
}

TEST_CASE("a .debug_frame that is damaged at any byte does no harm") {
  CfiBuilder debug(CfiBuilder::Form::kDebugFrame);
  debug.AddCie("", {0x0c, 7, 8, 0x90, 1}, -8);
  debug.AddFde(0x1000, 0x20, {0x41, 0x0e, 16});
  debug.AddFde(0x2000, 0x20, {0x41, 0x0e, 32});
  const SectionBytes whole = debug.Section();
  uint32_t id = 20;
  for (size_t i = 0; i < whole.size_bytes; ++i) {
    for (const uint8_t damage : {0x00, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> bytes(whole.data, whole.data + whole.size_bytes);
      bytes[i] = damage;
      FdeFinder finder;
      const auto module = Module::ForTest(id++, {kBias, kBias + 0x200000}, kBias, SectionBytes(), SectionBytes());
      module->SetDebugFrameForTest({bytes.data(), bytes.size(), 0, true});
      for (const uint64_t svma : {0x1000, 0x101f, 0x2010, 0x3000}) {
        FrameDescription description;
        CfiRow row;
        if (!finder.Find(*module, kBias + svma, description)) continue;
        CHECK(description.Covers(svma));
        (void)FindRow(description, svma, row);
      }
    }
  }
}
