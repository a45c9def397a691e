// Reads a test's segment back through the one reader.
#ifndef GECKOPROF_TESTS_SUPPORT_READ_BACK_H_
#define GECKOPROF_TESTS_SUPPORT_READ_BACK_H_

#include <string>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/reader/segment_reader.h"
#include "tests/support/test_segment.h"

namespace geckoprof {

inline ProcessProfile ReadBack(TestSegment& test) {
  ProcessProfile profile;
  ReadSegmentFile(test.path().c_str(), profile);
  return profile;
}

// The stack of a row as text, outermost first: "(root);10;label".
inline std::string StackText(const ProcessProfile& profile, int32_t stack) {
  std::string text;
  for (; stack != kNone; stack = profile.stacks[static_cast<size_t>(stack)].prefix) {
    const FrameRow& frame = profile.frames[static_cast<size_t>(profile.stacks[static_cast<size_t>(stack)].frame)];
    std::string name = "(root)";
    if (frame.kind == FrameKind::kInstruction) name = std::to_string(frame.address);
    if (frame.kind == FrameKind::kLabel || frame.kind == FrameKind::kReason) {
      name = profile.strings[static_cast<size_t>(frame.text)];
    }
    text = text.empty() ? name : name + ";" + text;
  }
  return text;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_READ_BACK_H_
