// What the program headers of a mapped ELF object say.
#ifndef GECKOPROF_MODULES_ELF_LAYOUT_H_
#define GECKOPROF_MODULES_ELF_LAYOUT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace geckoprof {

// A part of the file and the address that the file gives it.
struct ElfRange {
  uint64_t svma = 0;
  uint64_t file_offset = 0;
  uint64_t file_bytes = 0;
  uint64_t memory_bytes = 0;
  bool writable = false;  // memory may differ from the file
  bool executable = false;
};

struct ElfLayout {
  uint64_t entry_svma = 0;
  uint64_t end_svma = 0;  // of the highest loaded segment
  std::vector<ElfRange> loads;
  std::vector<ElfRange> notes;
  ElfRange eh_frame_hdr;  // memory_bytes 0: there is none

  uint64_t section_table_offset = 0;  // in the file; 0: none
  uint16_t section_count = 0;
  uint16_t section_names_index = 0;
};

// Where the program headers are. Read from the file's first 64 bytes.
struct ElfHeaderTable {
  uint64_t file_offset = 0;
  uint64_t size_bytes = 0;
};

// False unless `head` begins like a 64-bit little-endian executable or shared object of this machine. Fills `layout`'s
// entry and section table, and says where the program headers are (at most 512 of them are accepted).
bool ReadElfHeader(std::span<const uint8_t> head, ElfLayout& layout, ElfHeaderTable& program_headers);

// Fills in the rest of `layout`. False if no segment is loaded, or a size is absurd.
bool ReadProgramHeaders(std::span<const uint8_t> table, ElfLayout& layout);

// Looks for the GNU build id in the bytes of a PT_NOTE segment; appends it to `build_id` and returns true if found.
// 64 bytes is the limit: SHA-512, where the usual one has 20.
bool FindBuildId(std::span<const uint8_t> notes, std::string& build_id);

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_ELF_LAYOUT_H_
