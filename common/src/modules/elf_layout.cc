#include "geckoprof/modules/elf_layout.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "geckoprof/arch/registers.h"
#include "geckoprof/modules/cfi_reader.h"

namespace geckoprof {

namespace {

constexpr uint64_t kMaxProgramHeaders = 512;  // real objects have about 20
// The limit is far above any real address. It keeps sums of hostile header fields from overflowing.
constexpr uint64_t kMaxAddress = uint64_t{1} << 52;

bool IsSane(const Elf64_Phdr& header) {
  return header.p_vaddr < kMaxAddress && header.p_offset < kMaxAddress && header.p_filesz < kMaxAddress &&
         header.p_memsz < kMaxAddress && header.p_filesz <= header.p_memsz;
}

}  // namespace

bool ReadElfHeader(std::span<const uint8_t> head, ElfLayout& layout, ElfHeaderTable& program_headers) {
  Elf64_Ehdr header;
  if (head.size() < sizeof header) return false;
  std::memcpy(&header, head.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != kElfMachine ||
      (header.e_type != ET_DYN && header.e_type != ET_EXEC) || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum == 0 || header.e_phnum > kMaxProgramHeaders) {
    return false;
  }
  layout.entry_svma = header.e_entry;
  if (header.e_shentsize == sizeof(Elf64_Shdr)) {
    layout.section_table_offset = header.e_shoff;
    layout.section_count = header.e_shnum;
    layout.section_names_index = header.e_shstrndx;
  }
  program_headers = {header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)};
  return true;
}

bool ReadProgramHeaders(std::span<const uint8_t> table, ElfLayout& layout) {
  CfiReader reader(table.data(), table.size());
  while (reader.remaining() >= sizeof(Elf64_Phdr)) {
    const auto header = reader.Fixed<Elf64_Phdr>();
    const ElfRange range{header.p_vaddr,
                         header.p_offset,
                         header.p_filesz,
                         header.p_memsz,
                         (header.p_flags & PF_W) != 0,
                         (header.p_flags & PF_X) != 0};
    if (header.p_type != PT_LOAD && header.p_type != PT_NOTE && header.p_type != PT_GNU_EH_FRAME) continue;
    if (!IsSane(header)) return false;
    if (header.p_type == PT_LOAD) {
      layout.loads.push_back(range);
      layout.end_svma = std::max(layout.end_svma, range.svma + range.memory_bytes);
    } else if (header.p_type == PT_NOTE) {
      layout.notes.push_back(range);
    } else {
      layout.eh_frame_hdr = range;
    }
  }
  return !layout.loads.empty();
}

bool FindBuildId(std::span<const uint8_t> notes, std::string& build_id) {
  constexpr size_t kMaxBuildIdBytes = 64;
  CfiReader reader(notes.data(), notes.size());
  // A note is the name size, the description size, the type, the name and the description. The last two are padded to 4
  // bytes (elf(5), "Notes").
  while (reader.remaining() >= 12) {
    const uint64_t name_bytes = reader.Fixed<uint32_t>();
    const uint64_t description_bytes = reader.Fixed<uint32_t>();
    const auto type = reader.Fixed<uint32_t>();
    CfiReader name = reader.ReadBlock((name_bytes + 3) & ~uint64_t{3});
    CfiReader description = reader.ReadBlock(description_bytes);
    if (!reader.ok()) return false;
    reader.Skip(std::min<uint64_t>((4 - description_bytes % 4) % 4, reader.remaining()));
    if (type == NT_GNU_BUILD_ID && name_bytes == 4 && std::memcmp(name.position(), "GNU", 4) == 0 &&
        description_bytes != 0 && description_bytes <= kMaxBuildIdBytes) {
      build_id.append(reinterpret_cast<const char*>(description.position()), description_bytes);
      return true;
    }
  }
  return false;
}

}  // namespace geckoprof
