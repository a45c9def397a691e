// Numbers of the fields of pprof's profile.proto that are written and read.
#ifndef GECKOPROF_TOOLS_CONVERT_PPROF_FIELDS_H_
#define GECKOPROF_TOOLS_CONVERT_PPROF_FIELDS_H_

#include <cstdint>

namespace geckoprof::pprof {

enum Profile : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kString = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
  kLastField = 15,
};
// Whether a field of the profile is written as a number; else it is a text or message.
constexpr bool IsNumber(uint32_t field) {
  return (field >= 7 && field <= kDurationNanos) || (field >= kPeriod && field != kComment);
}
enum ValueType : uint32_t { kType = 1, kUnit = 2 };
enum Sample : uint32_t { kSampleLocation = 1, kSampleValue = 2, kSampleLabel = 3 };
enum Label : uint32_t { kLabelKey = 1, kLabelText = 2, kLabelNumber = 3 };
enum Mapping : uint32_t {
  kMappingId = 1,
  kMappingStart = 2,
  kMappingLimit = 3,
  kMappingOffset = 4,
  kMappingFile = 5,
  kMappingBuildId = 6,
  kMappingHasFunctions = 7,
  kMappingHasFiles = 8,
  kMappingHasLines = 9,
  kMappingHasInlines = 10,
};
enum Location : uint32_t { kLocationId = 1, kLocationMapping = 2, kLocationAddress = 3, kLocationLine = 4 };
enum Line : uint32_t { kLineFunction = 1, kLineNumber = 2 };
enum Function : uint32_t { kFunctionId = 1, kFunctionName = 2, kFunctionFile = 4 };

}  // namespace geckoprof::pprof

#endif  // GECKOPROF_TOOLS_CONVERT_PPROF_FIELDS_H_
