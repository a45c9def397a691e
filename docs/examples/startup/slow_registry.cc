// A library that does its work in a static constructor: about 80 ms before main, seen by nothing that starts with main.
#include "slow_registry.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr size_t kWords = 4096;

struct Word {
  std::string text;
};

__attribute__((noinline)) uint64_t HashWord(const Word& word) {
  uint64_t hash = 14695981039346656037ull;
  for (int round = 0; round < 2500; round++) {
    for (const char letter : word.text) hash = (hash ^ static_cast<uint64_t>(letter)) * 1099511628211ull;
  }
  return hash;
}

class Registry {
 public:
  __attribute__((noinline)) Registry() {
    for (size_t i = 0; i < kWords; i++) words_.push_back({HashWord({"word" + std::to_string(i)}), i});
    std::sort(words_.begin(), words_.end());
  }
  size_t size() const { return words_.size(); }

 private:
  std::vector<std::pair<uint64_t, size_t>> words_;
};

const Registry registry;

}  // namespace

size_t RegisteredWords() { return registry.size(); }
