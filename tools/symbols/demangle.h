#ifndef GECKOPROF_TOOLS_SYMBOLS_DEMANGLE_H_
#define GECKOPROF_TOOLS_SYMBOLS_DEMANGLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {

// A linker's name as people write it: C++ (Itanium ABI), and both of Rust's schemes without their hashes. Other names
// come back as they are, without a symbol version ("memcpy@@GLIBC_2.14" is "memcpy").
//
// What a compiler made of a function stays apart from it, as binutils show it: "sort(int*) [clone .part.0]", and
// "qsort.part.0" of C, whose names are not mangled. LLVM's number of the module (".llvm.123456") says nothing: it goes.
std::string Demangle(std::string_view name);

// Demangler bounds what all names of a program's files cost together. Names that come after the bounds are reached stay
// mangled, and are counted. A thousand names of a real program take a few milliseconds and some hundred KB.
// Threads: one at a time.
class Demangler {
 public:
  // Each name adds a little to these bounds.
  static constexpr int64_t kMostNs = 500'000'000;
  static constexpr size_t kMostTextBytes = size_t{16} << 20;

  explicit Demangler(int64_t most_ns = kMostNs, size_t most_text_bytes = kMostTextBytes)
      : left_ns_(most_ns), left_text_bytes_(static_cast<int64_t>(most_text_bytes)) {}

  // Does the same as the function of this name.
  std::string Demangle(std::string_view name);
  // Returns how many names stayed mangled for their cost.
  uint64_t left_mangled() const { return left_mangled_; }

 private:
  int64_t left_ns_, left_text_bytes_;
  uint64_t left_mangled_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DEMANGLE_H_
