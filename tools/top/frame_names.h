#ifndef GECKOPROF_TOOLS_TOP_FRAME_NAMES_H_
#define GECKOPROF_TOOLS_TOP_FRAME_NAMES_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/symbolicate/symbolizer.h"

namespace geckoprof {

// FrameNames: functions of frames that were recorded a moment ago, each looked up once: what is slow is the first page.
// Of inlined functions the innermost is named.
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

  // `is_caller`: the address is a return address.
  const Name& Of(const ProcessProfile& process, const FrameRow& frame, bool is_caller);

 private:
  Name Find(const ProcessProfile& process, const FrameRow& frame, uint64_t address);

  Symbolizer symbolizer_;
  absl::flat_hash_map<std::pair<std::string, uint64_t>, Name> names_;  // library's path or text, and address in it
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TOP_FRAME_NAMES_H_
