#include "libc/loader_namespace.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

// What another one is told: ctest handover_namespace.
TEST_CASE("a program is in its own namespace") {
  CHECK(IsInFirstNamespace());
  FindNamespace();
  CHECK(IsInFirstNamespace());
}

TEST_CASE("libraries beside the program, this one, the loader and the vDSO are counted") {
  constexpr uintptr_t kLoader = 0x5000, kVdso = 0x6000;
  ElfW(Dyn) sections[6] = {};
  link_map maps[6] = {};
  const uintptr_t addresses[6] = {0x1000, kVdso, 0x2000, 0x3000, 0x4000, kLoader};  // the third is ours
  for (int i = 0; i < 6; ++i) {
    maps[i].l_addr = addresses[i];
    maps[i].l_ld = &sections[i];
    maps[i].l_next = i < 5 ? &maps[i + 1] : nullptr;
  }
  CHECK(CountOtherLibraries(maps, &sections[2], kLoader, kVdso) == 2);
  maps[3].l_next = &maps[5];
  CHECK(CountOtherLibraries(maps, &sections[2], kLoader, kVdso) == 1);
  CHECK(CountOtherLibraries(maps, &sections[0], kLoader, kVdso) == 2);  // linked into the program: its own is the first
  CHECK(CountOtherLibraries(nullptr, sections, kLoader, kVdso) == 0);
  FindNamespace();
  CHECK(HasOtherLibraries());  // libstdc++
}

}  // namespace
}  // namespace geckoprof
