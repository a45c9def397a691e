#include "geckoprof/modules/module.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {

namespace {

// We read one page at the beginning of the file. It holds the headers and, in the usual layout, the build id.
constexpr size_t kHeadBytes = kPageBytes;
constexpr size_t kMaxNoteBytes = 64 * 1024;

}  // namespace

std::unique_ptr<Module> Module::Open(uint32_t id, const MapsLine& first, const ProcessMemory& memory, int64_t now_ns) {
  std::unique_ptr<Module> module(new Module());
  module->id_ = id;
  module->range_ = {first.start_avma, first.end_avma};
  module->mapped_ns_ = now_ns;
  module->memory_ = memory;
  if (!module->ReadLayout(first)) return nullptr;
  return module;
}

std::unique_ptr<Module> Module::ForTest(uint32_t id, AddressRange range, uint64_t bias, const SectionBytes& header,
                                        const SectionBytes& eh_frame) {
  std::unique_ptr<Module> module(new Module());
  module->id_ = id;
  module->range_ = range;
  module->bias_ = bias;
  module->text_ranges_.push_back(range);
  module->tried_unwind_sections_ = true;
  module->unwind_sections_.LoadFromBytes(header, eh_frame);
  return module;
}

bool Module::IsSameMapping(const MapsLine& first) const {
  return first.start_avma == range_.start_avma && file_.IsMappedBy(first);
}

bool Module::HasCodeAt(const MapsLine& line) const {
  for (const ElfRange& load : layout_.loads) {
    // The comparisons do not depend on the page size. A loader extends segments to whole pages at both ends.
    const uint64_t start_avma = bias_ + load.svma;
    const bool is_near = line.start_avma < start_avma + load.file_bytes && start_avma < line.end_avma;
    const bool is_at_place = line.path.empty() ? line.end_avma < start_avma + load.memory_bytes + kPageBytes
                                               : line.start_avma - line.file_offset == start_avma - load.file_offset;
    if (load.executable && is_near && is_at_place) return true;
  }
  return false;
}

bool Module::ReadLayout(const MapsLine& first) {
  std::array<uint8_t, kHeadBytes> head;
  if (!memory_.Read(range_.start_avma, head)) return false;
  file_ = ObjectFile(first, std::span(head).first(ObjectFile::kHeadBytes));
  ElfHeaderTable table;
  if (!ReadElfHeader(head, layout_, table)) return false;
  if (table.file_offset <= head.size() && table.size_bytes <= head.size() - table.file_offset) {
    if (!ReadProgramHeaders(std::span(head).subspan(table.file_offset, table.size_bytes), layout_)) return false;
  } else {
    // Tools that edit ELF files move the table to the end of the file.
    std::vector<uint8_t> bytes(table.size_bytes);
    if (!file_.ReadAt(table.file_offset, bytes) || !ReadProgramHeaders(bytes, layout_)) return false;
  }
  // The segment of the file's first page determines the bias of the object.
  const ElfRange& first_load = layout_.loads.front();
  if (first_load.file_offset >= kPageBytes) return false;
  const uint64_t first_page_svma = (first_load.svma - first_load.file_offset) & ~uint64_t{kPageBytes - 1};
  bias_ = range_.start_avma - first_page_svma;
  const uint64_t end_avma = bias_ + RoundUpTo(layout_.end_svma, kPageBytes);
  if (end_avma <= range_.start_avma) return false;
  range_.end_avma = end_avma;
  if (layout_.entry_svma != 0) entry_avma_ = layout_.entry_svma + bias_;
  ReadBuildId(head);
  return true;
}

void Module::ReadBuildId(std::span<const uint8_t> head) {
  std::vector<uint8_t> bytes;
  for (const ElfRange& note : layout_.notes) {
    const size_t size_bytes = std::min<uint64_t>(note.file_bytes, kMaxNoteBytes);
    if (note.file_offset <= head.size() && size_bytes <= head.size() - note.file_offset) {
      if (FindBuildId(head.subspan(note.file_offset, size_bytes), build_id_)) {
        // A build id in the head makes the head's hash identify the whole file.
        if (note.file_offset + size_bytes <= ObjectFile::kHeadBytes) file_.set_head_has_build_id();
        return;
      }
    } else {
      bytes.resize(size_bytes);
      if (memory_.Read(note.svma + bias_, bytes) && FindBuildId(bytes, build_id_)) return;
    }
  }
}

const UnwindSections* Module::unwind_sections() {
  if (!tried_unwind_sections_) {
    tried_unwind_sections_ = true;
    LoadUnwindSections();
  }
  return unwind_sections_.usable() ? &unwind_sections_ : nullptr;
}

const UnwindSections* Module::debug_frame() {
  if (!tried_debug_frame_) {
    tried_debug_frame_ = true;
    debug_frame_.LoadDebugFrame(memory_, file_, layout_);
  }
  return debug_frame_.usable() ? &debug_frame_ : nullptr;
}

void Module::LoadUnwindSections() {
  if (unwind_sections_.Load(memory_, file_, bias_, layout_)) return;
  unwind_sections_ = UnwindSections();
  if (file_.Open() && !unwind_sections_.LoadBySectionTable(memory_, file_, bias_, layout_)) {
    unwind_sections_ = UnwindSections();
  }
}

}  // namespace geckoprof
