#ifndef GECKOPROF_TOOLS_SYMBOLS_GO_FUNCTIONS_H_
#define GECKOPROF_TOOLS_SYMBOLS_GO_FUNCTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/symbols/elf_image.h"

namespace geckoprof {

struct GoFunction {
  uint64_t start_svma = 0;
  uint64_t size_bytes = 0;
  std::string name;
};

// Returns the functions of a Go program, sorted by start. They come from the table with which the Go runtime itself
// prints stacks (.gopclntab), so stripping leaves it in place. The formats of Go 1.2, 1.16, 1.18 and 1.20 are known.
//
//   header            magic, pointer size, number of functions, where the parts below begin
//   names             "main.main\0runtime.main\0..."
//   function table    start and record of each function, then the end of the last one
//   records           start, offset of the name, ...
//
// Hostile bytes: every offset is checked. A function that begins before the one ahead of it, lies outside of the
// executable segments or has no name is left out.
std::vector<GoFunction> ReadGoFunctions(const ElfImage& image);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_GO_FUNCTIONS_H_
