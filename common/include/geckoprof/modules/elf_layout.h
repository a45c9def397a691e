// The program headers of a mapped ELF object.
#ifndef GECKOPROF_MODULES_ELF_LAYOUT_H_
#define GECKOPROF_MODULES_ELF_LAYOUT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace geckoprof {

// A part of the file and its svma, which is the address that the file states for it.
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
  uint64_t end_svma = 0;  // end of the highest loaded segment
  std::vector<ElfRange> loads;
  std::vector<ElfRange> notes;
  ElfRange eh_frame_hdr;  // memory_bytes is 0 if the object has none

  uint64_t section_table_offset = 0;  // in the file; 0 if there is no table
  uint16_t section_count = 0;
  uint16_t section_names_index = 0;
};

// The place of the program headers, as the first 64 bytes of the file state it.
struct ElfHeaderTable {
  uint64_t file_offset = 0;
  uint64_t size_bytes = 0;
};

// Returns false unless `head` begins like a 64-bit little-endian executable or shared object of this machine. Fills in
// the entry and the section table of `layout` and the place of the program headers. At most 512 program headers are
// accepted.
bool ReadElfHeader(std::span<const uint8_t> head, ElfLayout& layout, ElfHeaderTable& program_headers);

// Fills in the rest of `layout`. Returns false if no segment is loaded or a size is not plausible.
bool ReadProgramHeaders(std::span<const uint8_t> table, ElfLayout& layout);

// Searches the bytes of a PT_NOTE segment for the GNU build id. If it finds the id, it appends it to `build_id` and
// returns true. A usual id has 20 bytes. The limit is 64, which is enough for SHA-512.
bool FindBuildId(std::span<const uint8_t> notes, std::string& build_id);

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_ELF_LAYOUT_H_
