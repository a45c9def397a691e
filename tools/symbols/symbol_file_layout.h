#ifndef GECKOPROF_TOOLS_SYMBOLS_SYMBOL_FILE_LAYOUT_H_
#define GECKOPROF_TOOLS_SYMBOLS_SYMBOL_FILE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

namespace geckoprof {

// The bytes of a file of the symbol cache (docs/formats/symbol-cache.md), in the machine's byte order:
//
//   SymbolFileHeader | addresses | files | frames | settings | problems | string ends | text
//                      40 each     40      16       4          4          4             bytes
//
// The tables follow one another without gaps, and the file ends with the text. A string is a number: string i is the
// text between ends[i - 1] (0 for the first) and ends[i]. Settings and problems are strings. Another version is
// another format: such a file is not read, and written anew.
inline constexpr char kSymbolFileMagic[8] = {'g', 'k', 'p', 's', 'y', 'm', '\r', '\n'};
inline constexpr uint32_t kSymbolFileVersion = 1;

struct SymbolFileHeader {
  char magic[8];
  uint32_t header_bytes;  // of this
  uint32_t version;
  uint32_t crc;  // CRC-32 of all that follows this field
  uint32_t flags;
  uint64_t first_mapped_svma;
  uint32_t addresses, files, frames, settings, problems, strings;  // how many
  uint32_t text_bytes;
  uint32_t build_id;  // string, hexadecimal
};
static_assert(sizeof(SymbolFileHeader) == 64 && offsetof(SymbolFileHeader, crc) == 16);

inline constexpr uint32_t kSymbolFileHasLines = 1;
inline constexpr uint32_t kSymbolFileServerHadNone = 2;
inline constexpr uint32_t kSymbolFileFlags = kSymbolFileHasLines | kSymbolFileServerHadNone;

// Sorted by svma, each once. Without frames: nothing is known there, and all that follows is 0.
struct SymbolFileAddress {
  uint64_t svma;
  uint64_t start_svma;
  uint64_t size_bytes;
  uint32_t symbol;  // string
  uint32_t first_frame;
  uint32_t frames;
  uint32_t zero;
};
static_assert(sizeof(SymbolFileAddress) == 40 && offsetof(SymbolFileAddress, frames) == 32);

struct SymbolFileFile {
  uint64_t size_bytes;
  uint64_t inode;
  int64_t modified_ns;
  int64_t changed_ns;
  uint32_t path;    // string
  uint32_t exists;  // 0: there was none, and all before is 0
};
static_assert(sizeof(SymbolFileFile) == 40 && offsetof(SymbolFileFile, path) == 32);

struct SymbolFileFrame {
  uint32_t name;  // string, not empty
  uint32_t file;  // string
  uint32_t line;
  uint32_t column;
};
static_assert(sizeof(SymbolFileFrame) == 16);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_SYMBOL_FILE_LAYOUT_H_
