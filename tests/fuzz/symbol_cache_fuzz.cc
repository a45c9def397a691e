// Reading a file of the symbol cache that somebody else made: the input as it is, and a good file with changes at
// places that the input chooses, once with the checksum that it had and once with the right one.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "geckoprof/base/utf8_repair.h"
#include "tools/support/gzip_compress.h"
#include "tools/symbols/cached_symbols.h"
#include "tools/symbols/symbol_file_layout.h"

namespace {

using namespace geckoprof;

const std::string kBuildId = "0123456789abcdef";
constexpr uint64_t kAddresses = 20;

std::string GoodFile() {
  static const AddressSymbols kInlined = {
      "outer", 0x1000, 64, {{"outer", "/src/a.cc", 12, 3}, {"inner", "/src/b.h", 7, 0}}};
  static const AddressSymbols kPlain = {"plain", 0x3000, 0, {{"plain", "", 0, 0}}};
  CachedSymbols::Origin origin;
  origin.settings = {"1.0", "/usr/lib/demo.so"};
  origin.files = {FileIdentity::Of("/nowhere/demo.so")};
  origin.problems = {"one thing"};
  CachedSymbols symbols(origin);
  for (uint64_t i = 0; i < kAddresses; ++i) {
    symbols.Add(i, i % 3 == 0 ? nullptr : i % 3 == 1 ? &kInlined : &kPlain);
  }
  return symbols.Encode(kBuildId, uint64_t{1} << 20).value();
}

void Seal(std::string& bytes) {
  constexpr size_t kCrcEnd = offsetof(SymbolFileHeader, crc) + sizeof(SymbolFileHeader::crc);
  if (bytes.size() < kCrcEnd) return;
  const uint32_t crc = Crc32(0, std::string_view(bytes).substr(kCrcEnd));
  std::memcpy(bytes.data() + offsetof(SymbolFileHeader, crc), &crc, sizeof(crc));
}

void Read(std::string bytes) {
  const auto symbols = CachedSymbols::Decode(std::move(bytes), kBuildId);
  if (!symbols.ok()) return;
  (void)(*symbols)->IsCurrent({"1.0"});
  for (uint64_t svma = 0; svma < kAddresses; ++svma) {
    const auto found = (*symbols)->Find(svma);
    if (!found.has_value() || *found == nullptr) continue;
    for (const SymbolFrame& frame : (*found)->frames) {
      if (frame.name.empty() || !IsUtf8(frame.name) || !IsUtf8(frame.file)) __builtin_trap();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string kGood = GoodFile();
  Read(std::string(reinterpret_cast<const char*>(data), size));
  std::string changed = kGood;
  for (size_t i = 0; i + 2 < size && i < 24; i += 3) {
    changed[(data[i] | size_t{data[i + 1]} << 8) % changed.size()] = static_cast<char>(data[i + 2]);
  }
  Read(changed);
  Seal(changed);
  Read(changed);
  return 0;
}
