// A file descriptor with an owner, and whole-file reading, by raw system calls.
#ifndef GECKOPROF_BASE_FD_H_
#define GECKOPROF_BASE_FD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace geckoprof {

// Fd: closes its descriptor. Holds -errno where opening failed.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number_or_error) : number_(number_or_error) {}
  // O_CLOEXEC is always added.
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
  // Gives up ownership: the number belongs to another descriptor table by now.
  void Forget() { number_ = -1; }

  // Reads at `offset` until `out` is full or the file ends. Returns the number of bytes, or -errno.
  int64_t ReadAt(uint64_t offset, std::span<uint8_t> out) const;

 private:
  int number_ = -1;
};

// Closes every descriptor from `first` on. Async-signal-safe.
void CloseDescriptorsFrom(int first);

// Replaces `out` by the file's contents, which may come from /proc (size unknown). Returns 0 or -errno.
int ReadWholeFile(const char* path, std::string& out);

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_FD_H_
