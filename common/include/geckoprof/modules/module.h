// An ELF object as it is mapped into the process.
#ifndef GECKOPROF_MODULES_MODULE_H_
#define GECKOPROF_MODULES_MODULE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/modules/elf_layout.h"
#include "geckoprof/modules/memory_map.h"
#include "geckoprof/modules/object_file.h"
#include "geckoprof/modules/process_memory.h"
#include "geckoprof/modules/unwind_sections.h"

namespace geckoprof {

// Module is an executable, a shared library or the vDSO, from its first mapped byte to its last.
//
//   avma  start_avma          text_ranges()[0]                      end_avma
//           | ELF header, notes | code | .eh_frame_hdr .eh_frame | data |         avma = svma + bias
//
// To open a module, we read its first page from memory, usually without access to the file. This takes some
// microseconds. The unwind sections are located on first use and copied piece by piece on demand (SectionCopy). If the
// file is truncated or replaced, we lose at most the bytes of these sections.
//
// Threads: the sampler thread owns the object.
// Context: not signal context.
class Module {
 public:
  // Opens the object of which `first` maps the beginning. Returns null if the memory at first.start_avma does not hold
  // a loaded ELF object.
  static std::unique_ptr<Module> Open(uint32_t id, const MapsLine& first, const ProcessMemory& memory, int64_t now_ns);
  // Makes a module of given unwind sections, for tests of the unwinder.
  static std::unique_ptr<Module> ForTest(uint32_t id, AddressRange range, uint64_t bias, const SectionBytes& header,
                                         const SectionBytes& eh_frame);
  void SetDebugFrameForTest(const SectionBytes& debug_frame) {
    tried_debug_frame_ = true;
    debug_frame_.LoadFromBytes({}, debug_frame);
  }

  uint32_t id() const { return id_; }  // never 0, never reused in this process
  uint64_t start_avma() const { return range_.start_avma; }
  uint64_t end_avma() const { return range_.end_avma; }
  uint64_t bias() const { return bias_; }                   // modulo 2^64
  uint64_t entry_avma() const { return entry_avma_; }       // entry point that the file states; 0 if none
  const std::string& path() const { return file_.path(); }  // "[vdso]" for the vDSO
  std::string_view build_id() const { return build_id_; }   // raw bytes; empty if the object has none
  int64_t mapped_ns() const { return mapped_ns_; }          // when it was first seen
  std::span<const AddressRange> text_ranges() const { return text_ranges_; }

  bool IsSameMapping(const MapsLine& first) const;
  bool IsOfFile(const MapsLine& line) const { return file_.IsMappedBy(line); }
  // Returns true if the memory that we read belongs to another file, which had replaced the listed one by then.
  bool IsMistaken() const { return file_.HasOtherBeginning(); }
  // Returns true if a loader maps this part of the file as code, given the module's address. Anonymous memory counts if
  // all of it lies there, because some programs move their code to large pages.
  bool HasCodeAt(const MapsLine& line) const;
  // Closes the file, which is opened again when it is needed. Call this before the thread gives up its descriptor
  // table.
  void CloseFile() const { file_.Close(); }
  void NoteFileOpening(bool* note) { file_.NoteOpening(note); }
  void set_text_ranges(std::vector<AddressRange> ranges) { text_ranges_ = std::move(ranges); }

  // Returns the sections and locates them on the first call. Returns null if the module has no readable sections.
  const UnwindSections* unwind_sections();
  // Does the same for .debug_frame.
  const UnwindSections* debug_frame();

 private:
  Module() = default;
  bool ReadLayout(const MapsLine& first);
  void ReadBuildId(std::span<const uint8_t> head);
  void LoadUnwindSections();

  uint32_t id_ = 0;
  AddressRange range_;
  uint64_t bias_ = 0;
  uint64_t entry_avma_ = 0;
  ObjectFile file_;
  std::string build_id_;
  int64_t mapped_ns_ = 0;
  std::vector<AddressRange> text_ranges_;

  ProcessMemory memory_;
  ElfLayout layout_;
  UnwindSections unwind_sections_;
  bool tried_unwind_sections_ = false;
  UnwindSections debug_frame_;
  bool tried_debug_frame_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_MODULE_H_
