#ifndef GECKOPROF_TOOLS_TOP_FRAME_NAMES_H_
#define GECKOPROF_TOOLS_TOP_FRAME_NAMES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// FrameNames: the functions of frames that were recorded a moment ago. Each address is looked up once, so that only the
// first page is slow.
// Threads: one.
class FrameNames {
 public:
  struct Name {
    std::string function, library;  // library: file name; empty: none
    bool operator==(const Name&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Name& name) {
      return H::combine(std::move(h), name.function, name.library);
    }
  };

  // Returns the function of a frame, and then the functions that are inlined there, inwards. There is at least one.
  // `is_caller`: the address is a return address. The result is valid until the next call.
  const std::vector<Name>& Of(const ProcessProfile& process, const FrameRow& frame, bool is_caller);

 private:
  std::vector<Name> Find(const ProcessProfile& process, const FrameRow& frame, uint64_t address);

  Symbolizer symbolizer_;
  // By library's path or text, and address in it.
  absl::flat_hash_map<std::pair<std::string, uint64_t>, std::vector<Name>> names_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TOP_FRAME_NAMES_H_
