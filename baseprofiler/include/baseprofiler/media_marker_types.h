// Marker types of programs that play media or paint.
#ifndef GECKOPROF_BASEPROFILER_MEDIA_MARKER_TYPES_H_
#define GECKOPROF_BASEPROFILER_MEDIA_MARKER_TYPES_H_

#include "baseprofiler/marker_schema.h"

namespace geckoprof::markers {

using MS = MarkerSchema;

struct MediaSample : BaseMarkerType<MediaSample> {
  static constexpr const char* Name = "MediaSample";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"sampleStartTimeUs", MS::InputType::Int64, "Sample start time", MS::Format::Microseconds},
      {"sampleEndTimeUs", MS::InputType::Int64, "Sample end time", MS::Format::Microseconds},
      {"queueLength", MS::InputType::Int64, "Queue length", MS::Format::Integer}};
};

struct VideoFallingBehind : BaseMarkerType<VideoFallingBehind> {
  static constexpr const char* Name = "VideoFallingBehind";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"videoFrameStartTimeUs", MS::InputType::Int64, "Video frame start time", MS::Format::Microseconds},
      {"mediaCurrentTimeUs", MS::InputType::Int64, "Media current time", MS::Format::Microseconds}};
};

struct VideoSinkRender : BaseMarkerType<VideoSinkRender> {
  static constexpr const char* Name = "VideoSinkRender";
  static constexpr MS::PayloadField PayloadFields[] = {
      {"clockTimeUs", MS::InputType::Int64, "Clock time", MS::Format::Microseconds}};
};

struct MediaEngine : BaseMarkerType<MediaEngine> {
  static constexpr const char* Name = "MediaEngine";
  static constexpr MS::PayloadField PayloadFields[] = {{"id", MS::InputType::Uint64, "Id", MS::Format::Integer}};
};

struct MediaEngineText : BaseMarkerType<MediaEngineText> {
  static constexpr const char* Name = "MediaEngineText";
  static constexpr MS::PayloadField PayloadFields[] = {{"id", MS::InputType::Uint64, "Id", MS::Format::Integer},
                                                       {"text", MS::InputType::String, "Details"}};
  static constexpr const char* ChartLabel = "{marker.data.text}";
  static constexpr const char* TableLabel = "{marker.name} - {marker.data.text}";
};

// From the begin of painting to when all that it brought is on the screen.
struct ContentFullPaintTime : BaseMarkerType<ContentFullPaintTime> {
  static constexpr const char* Name = "CONTENT_FULL_PAINT_TIME";
};

using ContentBuildMarker = ContentFullPaintTime;  // The name in Firefox.

}  // namespace geckoprof::markers

#endif  // GECKOPROF_BASEPROFILER_MEDIA_MARKER_TYPES_H_
