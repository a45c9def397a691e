#ifndef GECKOPROF_TOOLS_SYMBOLS_SYMBOL_TABLE_H_
#define GECKOPROF_TOOLS_SYMBOLS_SYMBOL_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/symbols/demangle.h"
#include "tools/symbols/elf_image.h"
#include "tools/symbols/fde_ranges.h"

namespace geckoprof {

// Returns the ELF file of symbols that Fedora and others leave in stripped files. It has symbols that .dynsym lacks,
// and is packed by xz into the section .gnu_debugdata. Null: there is none, or it cannot be unpacked within 64 MiB
// (honest ones have some hundred KiB).
std::unique_ptr<ElfImage> ReadMiniDebugInfo(const ElfImage& image);

struct PltStub {
  uint64_t svma = 0;
  uint64_t size_bytes = 0;
  std::string name;  // "memcpy@plt"
};

// The stubs of the procedure linkage table, which no symbol covers: entry i belongs to relocation i of .rela.plt. Empty
// where the layout is not the usual one of 16-byte entries.
std::vector<PltStub> ReadPltStubs(const ElfImage& image, Demangler* demangler);

// SymbolTable has the functions of one ELF object, by address.
//
//   .symtab  (of the object, else of its separate debug file)   best: all functions
//   .gnu_debugdata  (where there is none of these)              some of the others
//   .gopclntab  (likewise)                                      all Go functions
//   .dynsym  (of files without sections: the dynamic segment)   exported ones
//   .plt                                                        "name@plt"
//   .eh_frame                                                   bounds only: "fun_1a2b", where none of the above covers
//
// A symbol without a size (assembly) goes up to the next one of its section, unless bounds say otherwise.
// Threads: one at a time.
class SymbolTable {
 public:
  struct Function {
    std::string name;  // demangled
    uint64_t start_svma = 0;
    uint64_t size_bytes = 0;  // 0: unknown
    bool has_symbol = true;   // false: the name is made of the bounds, or a symbol's that says no size
  };

  // `debug` is the object's separate debug file, or null. Only the constructor reads it. `image` outlives the table.
  SymbolTable(const ElfImage& image, const ElfImage* debug,
              std::shared_ptr<Demangler> demangler = std::make_shared<Demangler>());

  // Returns the function that covers `svma`.
  std::optional<Function> Find(uint64_t svma);

  size_t symbol_count() const { return symbols_.size(); }

 private:
  struct Symbol {
    uint64_t start_svma;
    uint64_t size_bytes;
    int rank;  // of names for the same address the lowest rank wins
    std::string name;
    uint64_t section_end_svma = 0;  // 0: unknown
  };

  void AddSymbols(const ElfImage& image, const char* section_name);
  void AddGoFunctions();
  void AddDynamicSymbols();
  void AddPlt();
  void Add(const GElf_Sym& symbol, std::string_view name, bool is_old, uint64_t code_end_svma);
  void Sort();
  // Returns the symbol that covers `svma`, or null. Symbols without a size cover nothing.
  const Symbol* Covering(uint64_t svma) const;
  // Returns the function of the last symbol before `svma`, if that has no size. `bounds` is the last range before
  // `svma`, or null.
  std::optional<Function> Sizeless(uint64_t svma, const FdeRange* bounds) const;

  const ElfImage& image_;
  const std::shared_ptr<Demangler> demangler_;
  std::vector<Symbol> symbols_;  // sorted by start, one a start
  size_t name_bytes_ = 0;        // of all symbols added
  bool fdes_read_ = false;
  std::vector<FdeRange> fdes_;  // read when first needed: many objects never need them
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SYMBOL_TABLE_H_
