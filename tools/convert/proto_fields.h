// The numbers of the fields of protobuf messages that are written and read.
#ifndef GECKOPROF_TOOLS_CONVERT_PROTO_FIELDS_H_
#define GECKOPROF_TOOLS_CONVERT_PROTO_FIELDS_H_

#include <cstdint>

// The fields of pprof's profile.proto.
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
// Returns whether a field of the profile is a number. Otherwise it is a text or a message.
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

// The fields of Perfetto's messages.
namespace geckoprof::perfetto {

enum Trace : uint32_t { kPacket = 1 };
enum TracePacket : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kDefaults = 59,
  kTrackDescriptor = 60,
  kPerfSample = 66,
  kFirstPacketOnSequence = 87,
};
enum SequenceFlags : uint32_t { kStateCleared = 1, kNeedsState = 2 };
enum ClockSnapshot : uint32_t { kClocks = 1 };
enum Clock : uint32_t { kClockId = 1, kClockTimestamp = 2 };
enum ClockIds : uint32_t { kRealtime = 1, kBoottime = 6 };
enum TracePacketDefaults : uint32_t { kPerfSampleDefaults = 12 };
enum PerfSampleDefaults : uint32_t { kTimebase = 1 };
enum Timebase : uint32_t { kTimebasePeriod = 1, kTimebaseCounter = 4, kTimebaseName = 10 };
enum Counters : uint32_t { kCpuClock = 1 };
enum TrackDescriptor : uint32_t {
  kTrackUuid = 1,
  kTrackName = 2,
  kTrackProcess = 3,
  kTrackThread = 4,
  kTrackParent = 5,
  kTrackCounter = 8,
};
enum ProcessDescriptor : uint32_t { kProcessPid = 1, kProcessName = 6 };
enum ThreadDescriptor : uint32_t { kThreadPid = 1, kThreadTid = 2, kThreadName = 5 };
enum CounterDescriptor : uint32_t { kCounterUnit = 3, kCounterUnitName = 6 };
enum CounterUnit : uint32_t { kUnitCount = 2, kUnitBytes = 3 };
enum InternedData : uint32_t {
  kEventCategories = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kFunctionNames = 5,
  kFrames = 6,
  kCallstacks = 7,
  kBuildIds = 16,
  kMappingPaths = 17,
  kSourcePaths = 18,
  kMappings = 19,
};
enum Interned : uint32_t { kIid = 1, kInternedText = 2 };
enum Mapping : uint32_t { kMappingBuildId = 2, kMappingPath = 7 };
enum Frame : uint32_t { kFrameFunction = 2, kFrameMapping = 3, kFrameRelPc = 4, kFrameSource = 5, kFrameLine = 6 };
enum Callstack : uint32_t { kFrameIds = 2 };
enum PerfSample : uint32_t { kPid = 2, kTid = 3, kCallstackIid = 4, kCpuMode = 5 };
enum CpuModes : uint32_t { kUserMode = 2 };
enum TrackEvent : uint32_t {
  kEventCategory = 3,
  kAnnotation = 4,
  kEventType = 9,
  kEventName = 10,
  kEventTrack = 11,
  kDoubleCounterValue = 44,
};
enum EventTypes : uint32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterValue = 4 };
enum Annotation : uint32_t { kAnnotationName = 1, kAnnotationBool = 2, kAnnotationDouble = 5, kAnnotationText = 6 };

}  // namespace geckoprof::perfetto

#endif  // GECKOPROF_TOOLS_CONVERT_PROTO_FIELDS_H_
