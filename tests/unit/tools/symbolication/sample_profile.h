// Profiles of one sample in the library of a DebugInfoSample, and what a written one says.
#ifndef GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLICATION_SAMPLE_PROFILE_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLICATION_SAMPLE_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/profile/json_document.h"

namespace geckoprof {

// An address of the library, as profiles count, at which all three functions are.
uint64_t InlinedAddress(const std::string& library);

// main, and that address below it; the marker's cause is the sample's stack.
std::string ProcessedSampleText(const std::string& library, uint64_t address, int version);

// "(root)" and that address below it, of Gecko's format.
std::string GeckoSampleText(const std::string& library, uint64_t address);

// The first sample's stack, outermost first: "name file:line".
std::vector<std::string> StackText(JsonView profile, JsonView thread);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLICATION_SAMPLE_PROFILE_H_
