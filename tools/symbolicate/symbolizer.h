#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLIZER_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/symbolicate/symbol_table.h"

namespace geckoprof {

// Symbolizer: function names for addresses in the libraries of a recording. A library's file is opened when its first
// address is asked for, and kept. Threads: one at a time.
class Symbolizer {
 public:
  // Of the libraries asked for: what became of their files.
  struct Counts {
    uint64_t loaded = 0;
    uint64_t unreadable = 0;  // gone, or no ELF file
    uint64_t mismatched = 0;  // the file on disk is not the one that was recorded
    uint64_t unknown_addresses = 0;
  };

  // `debug_folder`: see SymbolTable.
  explicit Symbolizer(std::string debug_folder = "/usr/lib/debug") : debug_folder_(std::move(debug_folder)) {}

  // The function that covers `svma` in the library with this path and raw build id; null if unknown. Lives as long as
  // this.
  const SymbolTable::Function* Find(const std::string& path, const std::string& build_id, uint64_t svma);

  const Counts& counts() const { return counts_; }
  // One sentence for each library without symbols.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Module {
    std::unique_ptr<SymbolTable> table;  // null: no symbols
    // By address asked for; a function may be there several times. Pointers stay valid.
    absl::flat_hash_map<uint64_t, std::unique_ptr<SymbolTable::Function>> found;
  };

  Module& ModuleOf(const std::string& path, const std::string& build_id);

  const std::string debug_folder_;
  absl::flat_hash_map<std::pair<std::string, std::string>, std::unique_ptr<Module>> modules_;
  Counts counts_;
  std::vector<std::string> problems_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLIZER_H_
