// Short texts without stdio. Paths and numbers go into the caller's array.
#ifndef GECKOPROF_BASE_TEXT_BUILDER_H_
#define GECKOPROF_BASE_TEXT_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace geckoprof {

// TextBuilder appends to an array and keeps it NUL terminated. It drops the text that does not fit, and complete() then
// returns false.
//
// Context: any, including signal context.
//
// Example:
//   char path[64];
//   TextBuilder(path).Text("/proc/self/task/").Number(tid).Text("/syscall");
class TextBuilder {
 public:
  TextBuilder(char* out, size_t size_bytes) : out_(out), size_bytes_(size_bytes) {
    if (size_bytes_ != 0) out_[0] = '\0';
  }
  template <size_t kSize>
  explicit TextBuilder(char (&out)[kSize]) : TextBuilder(out, kSize) {}
  // `out` is a std::array or a std::span, which is not named here because this header also compiles as C++17.
  template <typename Buffer>
  explicit TextBuilder(Buffer& out) : TextBuilder(out.data(), out.size()) {}

  TextBuilder& Text(std::string_view text) {
    for (const char c : text) Append(c);
    return *this;
  }
  TextBuilder& Number(int64_t value) {
    char digits[20];
    size_t count = 0;
    uint64_t rest = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (value < 0) Append('-');
    while (count > 0) Append(digits[--count]);
    return *this;
  }

  bool complete() const { return complete_; }
  std::string_view view() const { return {out_, used_}; }

 private:
  void Append(char c) {
    if (used_ + 1 >= size_bytes_) {
      complete_ = false;
      return;
    }
    out_[used_++] = c;
    out_[used_] = '\0';
  }

  char* out_;
  size_t size_bytes_;
  size_t used_ = 0;
  bool complete_ = true;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_TEXT_BUILDER_H_
