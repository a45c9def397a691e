#ifndef GECKOPROF_TOOLS_SYMBOLS_CACHED_SYMBOLS_H_
#define GECKOPROF_TOOLS_SYMBOLS_CACHED_SYMBOLS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tools/symbols/held_files.h"
#include "tools/symbols/symbol_file_layout.h"
#include "tools/symbols/symbol_module.h"

namespace geckoprof {

// CachedSymbols: what was found at the addresses of one build of a library, as a file of the cache keeps it, and what
// it was found in. (Where the files lie: SymbolCache.)
//
//   Decode(bytes)  svma | svma | svma ...   sorted: searched by halves       Find
//   Add            svma -> AddressSymbols   of a SymbolModule                Find, Encode
//
// Hostile bytes: Decode takes them only as a whole. Every count, number of a string or row, and the order of addresses
// is checked before anything is used, and what becomes a name or file in a profile is UTF-8.
// Lifetime: what is found lives as long as this; what is added must. Threads: one at a time.
class CachedSymbols {
 public:
  // What the answers depend on.
  struct Origin {
    std::vector<std::string> settings;  // where files were looked for
    std::vector<FileIdentity> files;    // each that was, there or not
    std::vector<std::string> problems;  // what had to be told of them
    uint64_t first_mapped_svma = 0;
    bool has_lines = false;        // there was debug information
    bool server_had_none = false;  // it was asked in vain, and may know more next time
  };

  explicit CachedSymbols(Origin origin) : origin_(std::move(origin)) {}
  // InvalidArgument: no such file, or of another build id (raw bytes).
  static absl::StatusOr<std::unique_ptr<CachedSymbols>> Decode(std::string bytes, std::string_view build_id);
  CachedSymbols(const CachedSymbols&) = delete;
  CachedSymbols& operator=(const CachedSymbols&) = delete;

  const Origin& origin() const { return origin_; }
  // Whether a look-up with these settings would read the same files as the one that these answers are from.
  bool IsCurrent(const std::vector<std::string>& settings) const;

  // None: the address was not asked for. Null: nothing is known there.
  std::optional<const AddressSymbols*> Find(uint64_t svma);
  void Add(uint64_t svma, const AddressSymbols* found);
  // Likewise what the added ones were found in, beside the files that are there already.
  void AddFiles(const std::vector<FileIdentity>& files);
  void AddProblems(const std::vector<std::string>& problems);
  void set_server_had_none() { origin_.server_had_none = true; }
  bool has_new() const { return has_new_; }

  // The file's bytes. What is not UTF-8 is left out, as Decode would not have it. ResourceExhausted: more than
  // `most_bytes`.
  absl::StatusOr<std::string> Encode(std::string_view build_id, uint64_t most_bytes) const;

 private:
  class Encoder;

  absl::Status Read(std::string_view build_id);
  bool ReadStrings();
  bool FramesAreSound() const;
  bool AddressesAreSound() const;
  bool ReadOrigin();
  bool IsString(uint32_t number) const { return number < header_.strings; }
  std::string_view String(uint32_t number) const;
  std::unique_ptr<AddressSymbols> Made(const SymbolFileAddress& address) const;

  Origin origin_;
  bool has_new_ = false;
  std::string bytes_;  // of the file; the rest are parts of it
  SymbolFileHeader header_ = {};
  uint64_t addresses_at_ = 0, files_at_ = 0, frames_at_ = 0, settings_at_ = 0, problems_at_ = 0, ends_at_ = 0,
           text_at_ = 0;
  std::vector<bool> is_utf8_;                                   // by string
  std::vector<std::unique_ptr<AddressSymbols>> made_;           // of addresses of the file that were asked for
  absl::flat_hash_map<uint64_t, const AddressSymbols*> known_;  // these, and the added ones; null: nothing there
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_CACHED_SYMBOLS_H_
