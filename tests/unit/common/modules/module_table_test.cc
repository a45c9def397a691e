#include "geckoprof/modules/module_table.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "geckoprof/base/fd.h"
#include "geckoprof/modules/build_id.h"

using namespace geckoprof;

namespace {

std::string SelfMaps() {
  std::string text;
  REQUIRE(ReadWholeFile("/proc/self/maps", text) == 0);
  return text;
}

uint64_t AddressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// A shared library of which a copy may be loaded, renamed and deleted.
std::filesystem::path CopyOfLibrary(const char* name) {
  Dl_info info;
  void* handle = dlopen("libm.so.6", RTLD_NOW);
  REQUIRE(handle != nullptr);
  REQUIRE(dladdr(dlsym(handle, "cbrt"), &info) != 0);
  const auto copy = std::filesystem::temp_directory_path() / (std::string(name) + std::to_string(getpid()) + ".so");
  std::filesystem::copy_file(info.dli_fname, copy, std::filesystem::copy_options::overwrite_existing);
  return copy;
}

}  // namespace

TEST_CASE("this process's modules are found with bias, text and unwind sections") {
  ModuleTable table;
  const ModuleTable::Changes changes = table.Refresh(SelfMaps(), 77);
  CHECK(changes.added.size() >= 4);
  CHECK(changes.removed.empty());

  Module* libc = table.Find(AddressOf(reinterpret_cast<void*>(&getauxval)));
  REQUIRE(libc != nullptr);
  Dl_info info;
  REQUIRE(dladdr(reinterpret_cast<void*>(&getauxval), &info) != 0);
  CHECK(libc->start_avma() == AddressOf(info.dli_fbase));
  CHECK(libc->bias() == AddressOf(info.dli_fbase));
  CHECK(libc->path().find("libc.so.6") != std::string::npos);
  CHECK(libc->build_id().size() == 20);
  CHECK(libc->mapped_ns() == 77);
  CHECK(table.FindById(libc->id()) == libc);
  REQUIRE_FALSE(libc->text_ranges().empty());
  CHECK(libc->text_ranges()[0].Contains(AddressOf(reinterpret_cast<void*>(&getauxval))));
  REQUIRE(libc->unwind_sections() != nullptr);
  CHECK(libc->unwind_sections()->has_table());

  Module* own = table.Find(AddressOf(reinterpret_cast<void*>(&SelfMaps)));
  REQUIRE(own != nullptr);
  CHECK(own->unwind_sections() != nullptr);
  CHECK(own->entry_avma() == getauxval(AT_ENTRY));
}

TEST_CASE("the vDSO is a module whose unwind sections come from memory") {
  const uint64_t vdso_avma = getauxval(AT_SYSINFO_EHDR);
  if (vdso_avma == 0) return;  // user-mode emulators have none
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  Module* vdso = table.Find(vdso_avma);
  if (vdso == nullptr) return;
  CHECK(vdso->is_vdso());
  CHECK(vdso->path() == "[vdso]");
  CHECK_FALSE(vdso->build_id().empty());
  CHECK(vdso->unwind_sections() != nullptr);
}

TEST_CASE("nothing changes when nothing changed, though our own mappings of sections came to be") {
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  for (const auto& module : table.modules()) module->unwind_sections();
  const uint32_t generation = table.generation();
  const ModuleTable::Changes changes = table.Refresh(SelfMaps(), 1);
  CHECK(changes.added.empty());
  CHECK(changes.removed.empty());
  CHECK(table.generation() == generation);
}

TEST_CASE("a library that comes and goes is added and removed under an id of its own") {
  const auto copy = CopyOfLibrary("geckoprof-come-and-go-");
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  const uint32_t removals = table.removal_generation();

  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  ModuleTable::Changes changes = table.Refresh(SelfMaps(), 1);
  REQUIRE(changes.added.size() == 1);
  const uint32_t id = changes.added[0];
  CHECK(table.FindById(id)->path() == copy.string());
  CHECK(table.removal_generation() == removals);

  dlclose(handle);
  changes = table.Refresh(SelfMaps(), 2);
  CHECK(changes.added.empty());
  CHECK(changes.removed == std::vector<uint32_t>{id});
  CHECK(table.FindById(id) == nullptr);
  CHECK(table.removal_generation() == removals + 1);

  handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  changes = table.Refresh(SelfMaps(), 3);
  REQUIRE(changes.added.size() == 1);
  CHECK(changes.added[0] > id);
  dlclose(handle);
  std::filesystem::remove(copy);
}

TEST_CASE("a deleted or replaced file is not read: its unwind sections come from memory") {
  const auto copy = CopyOfLibrary("geckoprof-deleted-");
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  const uint64_t function = AddressOf(dlsym(handle, "cbrt"));
  const bool replaced = GENERATE(false, true);
  std::filesystem::remove(copy);
  if (replaced) std::ofstream(copy) << std::string(100000, 'x');
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  Module* module = table.Find(function);
  REQUIRE(module != nullptr);
  CHECK(module->path() == copy.string());
  const UnwindSections* sections = module->unwind_sections();
  REQUIRE(sections != nullptr);
  CHECK(sections->FindInTable(function - module->bias()) != UnwindSections::kNotFound);
  dlclose(handle);
  std::filesystem::remove(copy);
}

TEST_CASE("a file that is cut short after its first use does not end the process") {
  const auto copy = CopyOfLibrary("geckoprof-cut-");
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  const uint64_t function = AddressOf(dlsym(handle, "cbrt"));
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  Module* module = table.Find(function);
  REQUIRE(module != nullptr);
  const UnwindSections* sections = module->unwind_sections();
  REQUIRE(sections != nullptr);
  const uint64_t offset = sections->FindInTable(function - module->bias());
  REQUIRE(offset != UnwindSections::kNotFound);
  CHECK(sections->eh_frame().data[offset] != 0);  // its length
  dlclose(handle);
  std::filesystem::resize_file(copy, 0);
  uint64_t sum = 0;
  for (uint64_t svma = 0; svma < 0x100000; svma += 64) {
    const uint64_t other = sections->FindInTable(svma);
    if (other != UnwindSections::kNotFound) sum += sections->eh_frame().data[other];
  }
  CHECK(sum != 0);
  std::filesystem::remove(copy);
}

TEST_CASE("regions answer where a stack ends") {
  ModuleTable table;
  table.Refresh("1000-3000 rw-p 00000000 00:00 0\n3000-4000 r-xp 00000000 00:00 0\n8000-9000 r--p 00000000 00:00 0\n",
                0);
  CHECK(table.StackRegionEnd(0x1000) == 0x3000);
  CHECK(table.StackRegionEnd(0x2fff) == 0x3000);
  CHECK(table.StackRegionEnd(0x3000) == 0);
  CHECK(table.StackRegionEnd(0x5000) == 0);
  CHECK(table.StackRegionEnd(0x8000) == 0);
  REQUIRE(table.RegionAt(0x3fff) != nullptr);
  CHECK(table.RegionAt(0x3fff)->executable);
  CHECK(table.RegionAt(0xfff) == nullptr);
  CHECK(table.Find(0x3500) == nullptr);
}

TEST_CASE("maps that lie about this process's memory give no modules") {
  ModuleTable table;
  const auto changes = table.Refresh(
      "1000-2000 r--p 00000000 08:01 5 /lib/x.so\n2000-3000 r-xp 00001000 08:01 5 /lib/x.so\n"
      "1800-2800 r-xp 00001000 08:01 5 /overlap\nnonsense\n",
      0);
  CHECK(changes.added.empty());
  CHECK(table.Find(0x2500) == nullptr);
  CHECK(table.RegionAt(0x2500) != nullptr);
}
