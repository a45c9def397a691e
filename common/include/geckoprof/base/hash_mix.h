// Hashing for tables in memory. The hash values are not part of any format.
#ifndef GECKOPROF_BASE_HASH_MIX_H_
#define GECKOPROF_BASE_HASH_MIX_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

// The finalizer of splitmix64. It spreads every bit of the input over the output. Different inputs give different
// outputs.
constexpr uint64_t MixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// FNV-1a with 64 bits. Its low bits are weak, so apply MixBits before you reduce the hash to a power of two.
constexpr uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_HASH_MIX_H_
