// All ELF objects of the process, and what else is executable.
#ifndef GECKOPROF_MODULES_MODULE_TABLE_H_
#define GECKOPROF_MODULES_MODULE_TABLE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "geckoprof/modules/memory_map.h"
#include "geckoprof/modules/module.h"
#include "geckoprof/modules/process_memory.h"

namespace geckoprof {

// ModuleTable: keeps up with /proc/PID/maps.
//
// A module is a file mapping that begins at offset 0 with an ELF header and has executable memory of the same file at
// or above it, where the program headers put it: small objects lie in one page of their file, and then each of their
// mappings begins at offset 0.
//
//   A         r--p 0   headers, .eh_frame        the object begins here: bias = A - svma of its first page
//   A + 4096  r-xp 0   code                      that page again: it cannot begin here, its code would be at A + 8192
//   A + 8192  rw-p 0   data
//
// Identity is (path, inode, device, start): what stays keeps its Module object, its id and its unwind
// sections. Executable memory outside modules (JIT code, memfds that are not ELF) is kept as regions.
//
// Example:
//   ModuleTable table;
//   ReadWholeFile("/proc/self/maps", text);
//   const ModuleTable::Changes changes = table.Refresh(text, MonotonicNs());
//   for (uint32_t id : changes.added) Describe(*table.FindById(id));
//
// Threads: owned by the sampler thread. Context: not signal context (it allocates).
class ModuleTable {
 public:
  struct Changes {
    std::vector<uint32_t> added;               // ids, by address
    std::vector<uint32_t> removed;             // their Module objects are gone
    std::vector<AddressRange> removed_ranges;  // where each of them was
  };
  struct Region {
    uint64_t start_avma;
    uint64_t end_avma;
    bool readable, writable, executable;
    bool anonymous;  // backed by no file (JIT code, heap, stacks)
  };

  ModuleTable() = default;
  explicit ModuleTable(ProcessMemory memory) : memory_(memory) {}
  ModuleTable(const ModuleTable&) = delete;
  ModuleTable& operator=(const ModuleTable&) = delete;

  Changes Refresh(std::string_view maps_text, int64_t now_ns);

  // Drops what a Refresh has added under the name of a file that another one had followed by the time that its memory
  // was read: for where libraries may have gone meanwhile. Costs the opening of a file a module. True: there was one.
  bool DropMistaken(Changes& changes);

  // Closes what files modules hold open, nearly always none: at the end of each tick, and before the descriptor table
  // of this thread goes.
  void CloseFiles() {
    if (!any_file_opened_) return;
    for (const auto& module : modules_) module->CloseFile();
    any_file_opened_ = false;
  }

  // The module that covers an address, or null.
  Module* Find(uint64_t avma) const;
  Module* FindById(uint32_t id) const;
  std::span<const std::unique_ptr<Module>> modules() const { return modules_; }  // by address

  // The mapping that covers an address as of the last Refresh, or null.
  const Region* RegionAt(uint64_t avma) const;
  // Whether code may lie at an address: a module does, or memory that was executable then. A library that was listed in
  // the middle of its loading is memory that is none yet.
  bool MayBeCodeAt(uint64_t avma) const;
  size_t region_count() const { return regions_.size(); }
  // Where the memory that may be a stack with this stack pointer ends: the end of its readable and writable mapping, or
  // 0.
  uint64_t StackRegionEnd(uint64_t sp_avma) const;

  // Changes with every Refresh that added or removed a module.
  uint32_t generation() const { return generation_; }
  // Changes only when a module was removed: what was learnt about an address inside a module holds until then.
  uint32_t removal_generation() const { return removal_generation_; }

  const ProcessMemory& memory() const { return memory_; }

  // For tests of the unwinder: takes a module whose range overlaps no other.
  void AddForTest(std::unique_ptr<Module> module);

 private:
  void ReadRegions(std::string_view maps_text);
  void FindObjects(int64_t now_ns, Changes& changes);
  const Module* FindObjectOf(const MapsLine& code, int64_t now_ns, Changes& changes);
  size_t FindKnown(const MapsLine& first) const;
  void DropUnseen(Changes& changes);
  void AssignText();
  void RebuildSpans();

  struct Span {
    uint64_t start_avma, end_avma;
    Module* module;
  };

  ProcessMemory memory_;
  bool any_file_opened_ = false;  // by modules, whose note it is
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<uint8_t> seen_;  // parallel to modules_ during Refresh
  std::vector<Span> spans_;    // modules_ as Find wants them
  std::vector<Region> regions_;
  std::vector<MapsLine> lines_;  // during Refresh: borrows the text
  // During FindObjects: the last lines with which the object may begin whose code comes next.
  static constexpr size_t kMostBeginnings = 16;
  std::vector<const MapsLine*> beginnings_;
  uint32_t next_id_ = 1;
  uint32_t generation_ = 0;
  uint32_t removal_generation_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_MODULE_TABLE_H_
