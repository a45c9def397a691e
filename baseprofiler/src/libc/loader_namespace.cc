#include "libc/loader_namespace.h"

#include <elf.h>
#include <sys/auxv.h>

// The dynamic section of this library. A static program has none.
extern __attribute__((weak, visibility("hidden"))) ElfW(Dyn) _DYNAMIC[];  // NOLINT: the linker's name

namespace geckoprof {
namespace {

bool g_is_in_first = true, g_has_others = true;

// Returns the loader's record for debuggers from the program's dynamic section (System V ABI, DT_DEBUG), or null.
const r_debug* DebugOfProgram() {
  const auto* const headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const uint64_t count = headers != nullptr ? getauxval(AT_PHNUM) : 0;
  const ElfW(Phdr)* own = nullptr, *dynamic = nullptr;  // A static program has no PT_PHDR.
  for (uint64_t i = 0; i < count; ++i) {
    if (headers[i].p_type == PT_PHDR) own = &headers[i];
    if (headers[i].p_type == PT_DYNAMIC) dynamic = &headers[i];
  }
  if (own == nullptr || dynamic == nullptr) return nullptr;
  const uintptr_t bias = reinterpret_cast<uintptr_t>(headers) - own->p_vaddr;
  for (const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(bias + dynamic->p_vaddr); entry->d_tag != DT_NULL;
       ++entry) {
    if (entry->d_tag == DT_DEBUG) return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr);
  }
  return nullptr;
}

}  // namespace

void FindNamespace() {
  const r_debug* const debug = DebugOfProgram();
  if (debug == nullptr || _DYNAMIC == nullptr) return;
  const link_map* map = debug->r_map;
  // The program's own namespace has this library in its list. A namespace of dlmopen has another list.
  while (map != nullptr && map->l_ld != _DYNAMIC) map = map->l_next;
  g_is_in_first = map != nullptr;
  constexpr uint32_t kLibc = 1;
  g_has_others = CountOtherLibraries(debug->r_map, _DYNAMIC, getauxval(AT_BASE), getauxval(AT_SYSINFO_EHDR)) > kLibc;
}

uint32_t CountOtherLibraries(const link_map* list, const void* own, uintptr_t loader, uintptr_t vdso) {
  uint32_t count = 0;
  for (const link_map* map = list; map != nullptr; map = map->l_next) {
    count += map != list && map->l_ld != own && map->l_addr != loader && map->l_addr != vdso;
  }
  return count;
}

bool IsInFirstNamespace() { return g_is_in_first; }
bool HasOtherLibraries() { return g_has_others; }

}  // namespace geckoprof
