// allocation_ledger FILE: gets and gives back blocks at three sites for ever, and keeps the numbers of live blocks of
// each site in FILE. The program that kills it compares them.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using Ledger = std::atomic<int64_t>[3];

template <int kSite>
constexpr size_t kBytes = kSite == 0   ? 200
                          : kSite == 1 ? 20'000
                                       : 2'000'000;

template <int kSite>
[[gnu::noinline]] void* Site() {
  void* const block = malloc(kBytes<kSite>);
  *static_cast<volatile char*>(block) = 1;  // no tail call, which would hide the site
  return block;
}

struct Block {
  int site;
  void* address;
};

}  // namespace

int main(int count, char** words) {
  const int file = count == 2 ? open(words[1], O_RDWR | O_CREAT, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof(Ledger)) != 0) return 1;
  void* const memory = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return 1;
  auto& ledger = *static_cast<Ledger*>(memory);
  void* (*const sites[])() = {Site<0>, Site<1>, Site<2>};
  constexpr size_t kMost[] = {20'000, 400, 8};
  std::vector<Block> live[3];
  uint64_t random = static_cast<uint64_t>(getpid());
  puts("ready");
  fflush(stdout);
  for (;;) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto bits = static_cast<uint32_t>(random >> 33);
    const auto site = static_cast<size_t>(bits % 64 == 0 ? 2 : bits % 8 == 0 ? 1 : 0);
    std::vector<Block>& blocks = live[site];
    if (blocks.size() < kMost[site] && (bits >> 8) % 3 != 0) {
      blocks.push_back({static_cast<int>(site), sites[site]()});
      ++ledger[site];
    } else if (!blocks.empty()) {
      const size_t chosen = (bits >> 10) % blocks.size();
      free(blocks[chosen].address);
      --ledger[site];
      blocks[chosen] = blocks.back();
      blocks.pop_back();
    }
  }
}
