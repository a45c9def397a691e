#ifndef GECKOPROF_HOOKS_IO_DESCRIPTOR_TABLE_H_
#define GECKOPROF_HOOKS_IO_DESCRIPTOR_TABLE_H_

#include <atomic>
#include <cstdint>

namespace geckoprof {

// DescriptorTable: the row of IoTotals for each descriptor of which the process has made a call.
//
//   first call of a descriptor:  entry unknown -> the kernel is asked for the name -> Set
//   close, dup2, connect, ...:   Forget before the call, and again after it
//
//   entry   | generation 19 | is a socket 1 | row 12 |
//
// Only the kernel's answers come in, so a descriptor that arrived by any way has its right name. Set does nothing if
// the descriptor was closed while the kernel was asked, because each Forget changes the generation. A close that our
// hooks do not see, a raw system call, leaves the old name until a hooked close of the same number.
//
// Threads: any, without a lock. Context: any, signal context included. Lifetime: all bytes are zero at first.
class DescriptorTable {
 public:
  static constexpr int kMostDescriptors = 65536;  // higher ones have no entry, and belong to the rest

  struct Entry {
    uint32_t word = 0;
    uint32_t row() const { return word & kRowBits; }  // 0: unknown
    bool is_socket() const { return (word & kSocketBit) != 0; }
  };

  static bool Has(int fd) { return static_cast<unsigned>(fd) < static_cast<unsigned>(kMostDescriptors); }
  // REQUIRES: Has(fd).
  Entry Get(int fd) const { return {entries_[fd].load(std::memory_order_acquire)}; }
  // `seen` is the entry from before the kernel was asked.
  void Set(int fd, Entry seen, uint32_t row, bool is_socket) {
    const uint32_t word = (seen.word & ~(kGeneration - 1)) | (is_socket ? kSocketBit : 0) | row;
    entries_[fd].compare_exchange_strong(seen.word, word, std::memory_order_acq_rel);
  }
  void Forget(int fd) {
    if (!Has(fd)) return;
    uint32_t word = entries_[fd].load(std::memory_order_relaxed);
    while (!entries_[fd].compare_exchange_weak(word, (word & ~(kGeneration - 1)) + kGeneration,
                                               std::memory_order_acq_rel)) {
    }
  }
  void ForgetRange(unsigned first, unsigned last) {
    for (unsigned fd = first; fd <= last && fd < static_cast<unsigned>(kMostDescriptors); ++fd) {
      if (entries_[fd].load(std::memory_order_relaxed) != 0) Forget(static_cast<int>(fd));
    }
  }

 private:
  static constexpr uint32_t kRowBits = (1u << 12) - 1, kSocketBit = 1u << 12, kGeneration = 1u << 13;

  std::atomic<uint32_t> entries_[kMostDescriptors];
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_DESCRIPTOR_TABLE_H_
