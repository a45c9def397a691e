#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLIZER_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLIZER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/symbolicate/debug_file_finder.h"
#include "tools/symbolicate/symbol_cache.h"
#include "tools/symbolicate/symbol_library.h"
#include "tools/symbolicate/symbol_module.h"

namespace geckoprof {

// Symbolizer: functions, inlined functions, files and lines for addresses in libraries. A library is named by the path
// that was recorded and its build id (raw bytes; the first 16, which a debug id has, will do; empty: unknown). Its
// files are opened when it is first asked for, and kept; with a cache, only when it is asked for an address that the
// cache does not have (SymbolLibrary). What is returned lives as long as this. Threads: one at a time.
//   Symbolizer symbolizer;
//   const AddressSymbols* found = symbolizer.FindRelative("/usr/bin/demo", build_id, 0x4711);
//   if (found != nullptr) ... found->frames.back().name, .file, .line
class Symbolizer {
 public:
  // Of the libraries asked for: what became of their files.
  struct Counts {
    uint64_t loaded = 0;
    uint64_t with_lines = 0;        // of these: there is debug information
    uint64_t unreadable = 0;        // gone, or no ELF file
    uint64_t mismatched = 0;        // the file on disk is not the one that was recorded
    uint64_t from_cache_alone = 0;  // as the two before, but there are names of an earlier run
    uint64_t unknown_addresses = 0;
  };

  // `cache`: what earlier runs found; null for none; outlives this.
  explicit Symbolizer(SymbolPlaces places = {}, SymbolCache* cache = nullptr)
      : places_(std::move(places)), cache_(cache) {}

  // The library's files; null if there are none with symbols.
  SymbolModule* Module(const std::string& path, const std::string& build_id);

  // The functions at the address in the file's own terms; null if unknown.
  const AddressSymbols* Find(const std::string& path, const std::string& build_id, uint64_t svma);
  // Likewise, by the distance from the first mapped byte: what profiles and the symbol API have.
  const AddressSymbols* FindRelative(const std::string& path, const std::string& build_id, uint64_t relative);

  // What those distances count from; 0 if unknown.
  uint64_t FirstMappedSvma(const std::string& path, const std::string& build_id) {
    return Library(path, build_id).first_mapped_svma();
  }

  // Gives the cache, if there is one, what was found in files.
  void SaveToCache();

  // Called with the path of the library that an address is looked up in, before that: for a progress line.
  void set_watcher(std::function<void(const std::string& path)> watcher) { watcher_ = std::move(watcher); }

  const Counts& counts() const { return counts_; }
  // One sentence for each library without symbols, each file that does not belong to what was recorded, and each part
  // of debug information that is missing or broken.
  std::vector<std::string> Problems() const;

 private:
  SymbolLibrary& Library(const std::string& path, const std::string& build_id);

  const SymbolPlaces places_;
  SymbolCache* const cache_;
  absl::flat_hash_map<std::pair<std::string, std::string>, std::unique_ptr<SymbolLibrary>> libraries_;
  std::vector<SymbolLibrary*> in_order_;  // of being asked for
  std::function<void(const std::string& path)> watcher_;
  Counts counts_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLIZER_H_
