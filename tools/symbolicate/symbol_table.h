#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SYMBOL_TABLE_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SYMBOL_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/symbolicate/elf_image.h"
#include "tools/symbolicate/fde_ranges.h"

namespace geckoprof {

// SymbolTable: the functions of one ELF object, by address.
//
//   .symtab  (of the object, else of its separate debug file)   best: all functions
//   .dynsym                                                     exported ones
//   .plt                                                        "name@plt"
//   .eh_frame                                                   bounds only: "fun_1a2b", where none of the above covers
//
// The debug file is found by build id below the debug folder, or by .gnu_debuglink, and must carry the same build id.
// Threads: one at a time.
class SymbolTable {
 public:
  struct Function {
    std::string name;  // demangled
    uint64_t start_svma = 0;
    uint64_t size_bytes = 0;  // 0: unknown
  };

  // `build_id`: raw bytes the object must carry; empty: unknown, any is taken. FailedPrecondition where it differs.
  // `path` "[vdso]" is this process's vDSO. `debug_folder`: "/usr/lib/debug" but for tests.
  static absl::StatusOr<std::unique_ptr<SymbolTable>> Load(const std::string& path, std::string_view build_id,
                                                           const std::string& debug_folder = "/usr/lib/debug");

  // The function that covers `svma`.
  std::optional<Function> Find(uint64_t svma);

  size_t symbol_count() const { return symbols_.size(); }

 private:
  struct Symbol {
    uint64_t start_svma;
    uint64_t size_bytes;
    int rank;  // of names for the same address the lowest rank wins
    std::string name;
  };

  explicit SymbolTable(std::unique_ptr<ElfImage> image) : image_(std::move(image)) {}
  void AddSymbols(const ElfImage& image, const char* section_name);
  void AddDebugFile(const std::string& path, std::string_view build_id, const std::string& debug_folder);
  void AddPlt();
  void Sort();
  // The symbol that covers `svma`, or null. Symbols without a size cover nothing.
  const Symbol* Covering(uint64_t svma) const;

  const std::unique_ptr<ElfImage> image_;
  std::vector<Symbol> symbols_;  // sorted by start, one a start
  size_t name_bytes_ = 0;        // of all symbols added
  bool fdes_read_ = false;
  std::vector<FdeRange> fdes_;  // read when first needed: many objects never need them
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SYMBOL_TABLE_H_
