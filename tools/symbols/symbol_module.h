#ifndef GECKOPROF_TOOLS_SYMBOLS_SYMBOL_MODULE_H_
#define GECKOPROF_TOOLS_SYMBOLS_SYMBOL_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_set.h"
#include "absl/status/statusor.h"
#include "tools/symbols/debug_file_finder.h"
#include "tools/symbols/dwarf_file.h"
#include "tools/symbols/symbol_table.h"

namespace geckoprof {

// One function at an address, demangled.
struct SymbolFrame {
  std::string_view name;  // never empty
  std::string_view file;  // empty: unknown
  uint32_t line = 0, column = 0;
};

// What is known of an address.
struct AddressSymbols {
  std::string_view symbol;          // the linker's symbol, or the bounds' name; also that of frames[0]
  uint64_t start_svma = 0;          // of that symbol
  uint64_t size_bytes = 0;          // 0: unknown
  std::vector<SymbolFrame> frames;  // the function, then what is inlined there, inwards
};

// SymbolModule: the symbols of one program or library: its symbol tables and its debug information, wherever it is.
//
//   outermost name     symbol table, else debug information, else unwind bounds
//   inlined, lines     debug information
//
// Answers are kept, and live as long as this. Threads: one at a time.
class SymbolModule {
 public:
  // As DebugFileFinder::FindObject. `finder` outlives this.
  static absl::StatusOr<std::unique_ptr<SymbolModule>> Open(const std::string& path, std::string_view build_id,
                                                            DebugFileFinder* finder);

  // Null: no function is known there.
  const AddressSymbols* Find(uint64_t svma);

  // What the addresses of profiles count from.
  uint64_t first_mapped_svma() const { return first_mapped_svma_; }
  bool has_lines() const { return dwarf_ != nullptr; }
  bool is_verified() const { return is_verified_; }

  // As ElfImage's.
  int Machine() const { return image_->Machine(); }
  std::vector<uint8_t> Code(uint64_t svma, uint64_t size_bytes) const { return image_->Code(svma, size_bytes); }

  // Every source file that the debug information names, sorted.
  std::vector<std::string> SourceFiles() {
    return dwarf_ != nullptr ? dwarf_->SourceFiles() : std::vector<std::string>();
  }

  // A sentence for each thing that is missing or broken, as far as addresses were asked for.
  std::vector<std::string> Problems() const;
  // Of these, what is missing or broken of the debug information.
  std::vector<std::string> DebugInfoProblems() const;

 private:
  SymbolModule(std::string path, std::shared_ptr<Demangler> demangler)
      : path_(std::move(path)), demangler_(std::move(demangler)) {}
  void OpenDebugInfo(std::unique_ptr<ElfImage> image, DebugFileFinder* finder);
  std::string_view Keep(std::string text) { return *texts_.insert(std::move(text)).first; }
  std::string_view Demangled(std::string_view linkage_name);
  std::unique_ptr<AddressSymbols> LookUp(uint64_t svma);

  const std::string path_;
  const std::shared_ptr<Demangler> demangler_;
  uint64_t first_mapped_svma_ = 0;
  bool is_verified_ = false;  // there was a build id to compare
  std::unique_ptr<ElfImage> image_;
  std::unique_ptr<SymbolTable> table_;
  std::unique_ptr<DwarfFile> dwarf_;  // null: no debug information
  std::string dwarf_problem_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<AddressSymbols>> found_;  // null: unknown
  absl::flat_hash_map<std::string_view, std::string_view> demangled_;     // keys live in dwarf_
  absl::node_hash_set<std::string> texts_;
  std::vector<SourceFrame> scratch_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SYMBOL_MODULE_H_
