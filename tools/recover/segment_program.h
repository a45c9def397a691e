#ifndef GECKOPROF_TOOLS_RECOVER_SEGMENT_PROGRAM_H_
#define GECKOPROF_TOOLS_RECOVER_SEGMENT_PROGRAM_H_

#include <string>

namespace geckoprof {

// The file name of the program that a segment file is of; empty if it does not say. Reads the header and the first
// metadata alone, a few pages of a file that may have 2 GiB. The file may be anything.
std::string SegmentProgram(const std::string& path);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECOVER_SEGMENT_PROGRAM_H_
