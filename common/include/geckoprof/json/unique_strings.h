#ifndef GECKOPROF_JSON_UNIQUE_STRINGS_H_
#define GECKOPROF_JSON_UNIQUE_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

class JsonWriter;

// UniqueStrings is a profile's string table. It holds each different text once, numbered in order of first use.
//
//   bytes_   f o o b a r b a z        one run of bytes, no allocation a string
//   ends_        3     6     9        text i lies in [ends_[i-1], ends_[i])
//   slots_   [ . 1 . . 0 2 . . ]      open addressing, linear probing, at most half full; value = number + 1, 0 = free
//
// A copy continues the numbers of the original. Threads: one at a time.
class UniqueStrings {
 public:
  UniqueStrings();

  // Returns the text's number. Equal bytes have the same number.
  uint32_t Intern(std::string_view text);

  // REQUIRES: index < size(). The result is valid until the next Intern.
  std::string_view At(uint32_t index) const;
  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }

  // Forgets the texts, but does not free the memory.
  void Clear();

  // ["text 0","text 1",...]
  void WriteArray(JsonWriter& writer) const;

 private:
  void Grow();

  std::string bytes_;
  std::vector<size_t> ends_;
  std::vector<uint32_t> hashes_;  // by number: growing and most comparisons need no look at the bytes
  std::vector<uint32_t> slots_;   // a power of two of them
};

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_UNIQUE_STRINGS_H_
