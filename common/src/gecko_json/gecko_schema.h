// Column positions, as Firefox writes them.
#ifndef GECKOPROF_GECKO_JSON_GECKO_SCHEMA_H_
#define GECKOPROF_GECKO_JSON_GECKO_SCHEMA_H_

#include <string_view>

namespace geckoprof {

inline constexpr std::string_view kGeckoSampleSchema =
    R"({"stack":0,"time":1,"eventDelay":2,"argumentValues":3,"threadCPUDelta":4})";
inline constexpr std::string_view kGeckoMarkerSchema =
    R"({"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5})";
inline constexpr std::string_view kGeckoStackSchema = R"({"prefix":0,"frame":1})";
inline constexpr std::string_view kGeckoFrameSchema =
    R"({"location":0,"relevantForJS":1,"innerWindowID":2,"implementation":3,)"
    R"("line":4,"column":5,"category":6,"subcategory":7})";
inline constexpr std::string_view kGeckoSourceSchema =
    R"({"id":0,"filename":1,"startLine":2,"startColumn":3,"sourceMapURL":4})";

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_SCHEMA_H_
