// All ELF objects of the process, and other executable memory.
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

// ModuleTable follows the changes of /proc/PID/maps.
//
// A module is a file mapping that begins at offset 0 with an ELF header. Executable memory of the same file must lie at
// or above it, at the place that the program headers state. This condition is needed because a small object lies in one
// page of its file. Each of its mappings then begins at offset 0.
//
//   A         r--p 0   headers, .eh_frame        the object begins here: bias = A - svma of its first page
//   A + 4096  r-xp 0   code                      the same page: no object begins here, or its code would be at A + 8192
//   A + 8192  rw-p 0   data
//
// A module's identity is (path, inode, device, start). While these stay the same, the module keeps its Module object,
// its id and its unwind sections. Executable memory outside modules is kept as regions. Examples are JIT code and
// memfds that are not ELF.
//
// Example:
//   ModuleTable table;
//   ReadWholeFile("/proc/self/maps", text);
//   const ModuleTable::Changes changes = table.Refresh(text, MonotonicNs());
//   for (uint32_t id : changes.added) Describe(*table.FindById(id));
//
// Threads: the sampler thread owns the object.
// Context: not signal context, because it allocates.
class ModuleTable {
 public:
  struct Changes {
    std::vector<uint32_t> added;               // ids, by address
    std::vector<uint32_t> removed;             // the ids of deleted Module objects
    std::vector<AddressRange> removed_ranges;  // the former ranges of the removed modules
  };
  struct Region {
    uint64_t start_avma;
    uint64_t end_avma;
    bool readable, writable, executable;
    bool anonymous;  // not backed by a file (JIT code, heap, stacks)
  };

  ModuleTable() = default;
  explicit ModuleTable(ProcessMemory memory) : memory_(memory) {}
  ModuleTable(const ModuleTable&) = delete;
  ModuleTable& operator=(const ModuleTable&) = delete;

  Changes Refresh(std::string_view maps_text, int64_t now_ns);

  // Removes the modules that a Refresh added under a wrong file name. This happens if another file replaced the listed
  // one before its memory was read. Call it if libraries may have been unloaded during the Refresh. It opens one file
  // for each added module. Returns true if it removed a module.
  bool DropMistaken(Changes& changes);

  // Closes the files that modules hold open, which are rarely any. Call it at the end of each tick, and before the
  // thread gives up its descriptor table.
  void CloseFiles() {
    if (!any_file_opened_) return;
    for (const auto& module : modules_) module->CloseFile();
    any_file_opened_ = false;
  }

  // Returns the module that covers an address, or null.
  Module* Find(uint64_t avma) const;
  Module* FindById(uint32_t id) const;
  std::span<const std::unique_ptr<Module>> modules() const { return modules_; }  // by address

  // Returns the mapping that covered an address at the last Refresh, or null.
  const Region* RegionAt(uint64_t avma) const;
  // Returns true if code may lie at an address, in a module or in memory that was executable at the last Refresh. For a
  // library that was listed while it was being loaded, the second test counts, because it is no module yet.
  bool MayBeCodeAt(uint64_t avma) const;
  size_t region_count() const { return regions_.size(); }
  // Returns the end of the memory that may be the stack for this stack pointer. It is the end of the readable and
  // writable mapping, or 0.
  uint64_t StackRegionEnd(uint64_t sp_avma) const;

  // Changes with every Refresh that adds or removes a module.
  uint32_t generation() const { return generation_; }
  // Changes only when a module is removed. Cached facts about addresses inside modules stay valid until then.
  uint32_t removal_generation() const { return removal_generation_; }

  const ProcessMemory& memory() const { return memory_; }

  // Adds a module for tests of the unwinder. REQUIRES: its range overlaps no other one.
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
  bool any_file_opened_ = false;  // the modules set it
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<uint8_t> seen_;  // parallel to modules_ during Refresh
  std::vector<Span> spans_;    // modules_ in the form that Find needs
  std::vector<Region> regions_;
  std::vector<MapsLine> lines_;  // used during Refresh; borrows the text
  // Used during FindObjects. These are the last lines at which the object of the next code line may begin.
  static constexpr size_t kMaxBeginnings = 16;
  std::vector<const MapsLine*> beginnings_;
  uint32_t next_id_ = 1;
  uint32_t generation_ = 0;
  uint32_t removal_generation_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_MODULE_TABLE_H_
