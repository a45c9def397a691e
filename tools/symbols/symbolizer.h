#ifndef GECKOPROF_TOOLS_SYMBOLS_SYMBOLIZER_H_
#define GECKOPROF_TOOLS_SYMBOLS_SYMBOLIZER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/symbols/debug_file_finder.h"
#include "tools/symbols/symbol_cache.h"
#include "tools/symbols/symbol_library.h"
#include "tools/symbols/symbol_module.h"

namespace geckoprof {

// Symbolizer finds functions, inlined functions, files and lines for addresses in libraries. A caller names a library
// by the recorded path and the raw build id. The first 16 bytes of the id suffice, and an empty id is an unknown one.
// The library's files are opened at the first question and kept open. With a cache, they are opened only for an address
// that the cache lacks (SymbolLibrary). Results live as long as the symbolizer. Threads: one at a time.
//   Symbolizer symbolizer;
//   const AddressSymbols* found = symbolizer.FindRelative("/usr/bin/demo", build_id, 0x4711);
//   if (found != nullptr) ... found->frames.back().name, .file, .line
class Symbolizer {
 public:
  // The libraries that were asked for, by the fate of their files.
  struct Counts {
    uint64_t loaded = 0;
    uint64_t with_lines = 0;        // of the loaded ones, those with debug information
    uint64_t unreadable = 0;        // gone, or no ELF file
    uint64_t mismatched = 0;        // the file on disk is not the one that was recorded
    uint64_t from_cache_alone = 0;  // no usable file, but the cache has names
    uint64_t unknown_addresses = 0;
  };

  // `cache` has the results of earlier runs. It outlives the symbolizer, and may be null.
  explicit Symbolizer(SymbolPlaces places = {}, SymbolCache* cache = nullptr)
      : places_(std::move(places)), cache_(cache) {}

  // Returns the library's files, or null if none has symbols.
  SymbolModule* Module(const std::string& path, const std::string& build_id);

  // Returns the functions at an address of the file, or null if they are unknown.
  const AddressSymbols* Find(const std::string& path, const std::string& build_id, uint64_t svma);
  // Looks up an address that counts from the first mapped byte, as profiles and the symbol API do.
  const AddressSymbols* FindRelative(const std::string& path, const std::string& build_id, uint64_t relative);

  // Returns the library. `held` is its file, opened while it was mapped, or null.
  SymbolLibrary& Library(const std::string& path, const std::string& build_id, const HeldFile* held = nullptr);
  // Does the same as Find, for callers that keep the library.
  const AddressSymbols* FindIn(SymbolLibrary& library, uint64_t svma);

  // Returns the address of the first mapped byte, or 0 if it is unknown.
  uint64_t FirstMappedSvma(const std::string& path, const std::string& build_id) {
    return Library(path, build_id).first_mapped_svma();
  }

  // Writes the new results to the cache, if there is one.
  void SaveToCache();

  // Sets a function that is called with the library's path before each look-up. Progress lines use it.
  void set_watcher(std::function<void(const std::string& path)> watcher) { watcher_ = std::move(watcher); }

  const Counts& counts() const { return counts_; }
  // Returns one sentence for each library without symbols, for each file that is not the recorded one, and for each
  // missing or broken part of debug information.
  std::vector<std::string> Problems() const;

 private:
  const SymbolPlaces places_;
  SymbolCache* const cache_;
  absl::flat_hash_map<std::tuple<std::string, std::string, const HeldFile*>, std::unique_ptr<SymbolLibrary>> libraries_;
  std::vector<SymbolLibrary*> in_order_;  // of the first question
  std::function<void(const std::string& path)> watcher_;
  Counts counts_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SYMBOLIZER_H_
