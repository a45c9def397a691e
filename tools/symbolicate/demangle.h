#ifndef GECKOPROF_TOOLS_SYMBOLICATE_DEMANGLE_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_DEMANGLE_H_

#include <string>
#include <string_view>

namespace geckoprof {

// A linker's name as people write it: C++ (Itanium ABI), and Rust's older scheme without its hash. Other names, Rust's
// newer scheme among them, come back as they are, without a symbol version ("memcpy@@GLIBC_2.14" is "memcpy").
std::string Demangle(std::string_view name);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_DEMANGLE_H_
