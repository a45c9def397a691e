#ifndef GECKOPROF_TOOLS_SYMBOLS_DEMANGLE_H_
#define GECKOPROF_TOOLS_SYMBOLS_DEMANGLE_H_

#include <string>
#include <string_view>

namespace geckoprof {

// A linker's name as people write it: C++ (Itanium ABI), and both of Rust's schemes without their hashes. Other names
// come back as they are, without a symbol version ("memcpy@@GLIBC_2.14" is "memcpy").
//
// What a compiler made of a function stays apart from it, as binutils show it: "sort(int*) [clone .part.0]", and
// "qsort.part.0" of C, whose names are not mangled. LLVM's number of the module (".llvm.123456") says nothing: it goes.
std::string Demangle(std::string_view name);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DEMANGLE_H_
