#ifndef GECKOPROF_TOOLS_SYMBOLS_DYNAMIC_SECTION_H_
#define GECKOPROF_TOOLS_SYMBOLS_DYNAMIC_SECTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/symbols/elf_image.h"

namespace geckoprof {

// DynamicSection reads what the dynamic linker reads, by the program headers alone. Files without a table of sections
// (made by sstrip, or by packers) still have that. Only the dynamic segment of 64-bit little-endian files is read.
//
// Hostile bytes: every table is read up to the end of its segment and up to a limit of entries.
class DynamicSection {
 public:
  struct Symbol {
    GElf_Sym symbol;
    std::string name;
  };

  // `image` outlives this.
  explicit DynamicSection(const ElfImage& image);

  // Returns the symbols that have a name, which may be undefined ones.
  std::vector<Symbol> Symbols() const;
  // Returns the value that the loader adds the bias to and writes to `svma`, or nothing if there is none.
  std::optional<uint64_t> RelativeValueAt(uint64_t svma) const;

 private:
  uint64_t SymbolCount() const;

  const ElfImage& image_;
  // Addresses and sizes of the tables; 0: there is none.
  uint64_t symbols_svma_ = 0, strings_svma_ = 0, strings_bytes_ = 0, hash_svma_ = 0, gnu_hash_svma_ = 0,
           relocations_svma_ = 0, relocations_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DYNAMIC_SECTION_H_
