// A file descriptor with an owner, and reading of whole files. Both use raw system calls.
#ifndef GECKOPROF_BASE_FD_H_
#define GECKOPROF_BASE_FD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace geckoprof {

// Fd owns a file descriptor and closes it. If opening failed, it holds -errno.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number_or_error) : number_(number_or_error) {}
  // Opens a file. O_CLOEXEC is always added to `flags`.
  static Fd Open(const char* path, int flags, unsigned mode = 0);
  ~Fd() { Close(); }
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool ok() const { return number_ >= 0; }
  int error() const { return number_ < 0 ? -number_ : 0; }
  int number() const { return number_; }
  void Close();
  // Gives up ownership. Callers use it when the number already belongs to another descriptor table.
  void Forget() { number_ = -1; }

  // Reads at `offset` until `out` is full or the file ends. Returns the number of bytes, or -errno.
  int64_t ReadAt(uint64_t offset, std::span<uint8_t> out) const;

 private:
  int number_ = -1;
};

// Closes every descriptor from `first` on. Async-signal-safe.
void CloseDescriptorsFrom(int first);

// Replaces `out` by the file's contents. The size need not be known in advance, so files in /proc work. Returns 0 or
// -errno.
int ReadWholeFile(const char* path, std::string& out);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_FD_H_
