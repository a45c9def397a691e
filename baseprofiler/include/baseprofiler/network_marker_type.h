// The marker type of a request over the network, for the viewer's network track and chart. network_request.h makes such
// markers.
#ifndef GECKOPROF_BASEPROFILER_NETWORK_MARKER_TYPE_H_
#define GECKOPROF_BASEPROFILER_NETWORK_MARKER_TYPE_H_

#include "baseprofiler/marker_schema.h"

namespace geckoprof::markers {

using MS = MarkerSchema;

// The viewer has its own schema for this type, and reads these fields. A request is two markers with the same id on one
// thread. STATUS_START lasts from its opening until it is sent. STATUS_STOP, STATUS_REDIRECT or STATUS_CANCEL lasts
// from there to its end.
struct Network : BaseMarkerType<Network> {
  static constexpr const char* Name = "Network";
  static constexpr bool HasSchema = false;
  static constexpr MS::PayloadFlags kOptional = MS::PayloadFlags::Optional;
  static constexpr MS::PayloadField PayloadFields[] = {
      {"startTime", MS::InputType::TimeStamp, nullptr, MS::Format::Time},
      {"endTime", MS::InputType::TimeStamp, nullptr, MS::Format::Time},
      {"id", MS::InputType::Int64, nullptr, MS::Format::Integer},
      {"status", MS::InputType::CString},
      {"pri", MS::InputType::Int64, nullptr, MS::Format::Integer},
      {"URI", MS::InputType::String, nullptr, MS::Format::Url},
      {"count", MS::InputType::Uint64, nullptr, MS::Format::Bytes, kOptional},
      {"contentType", MS::InputType::CString, nullptr, MS::Format::String, kOptional},
      {"httpVersion", MS::InputType::CString, nullptr, MS::Format::String, kOptional},
      {"responseStatus", MS::InputType::Int64, nullptr, MS::Format::Integer, kOptional},
      {"cache", MS::InputType::CString, nullptr, MS::Format::String, kOptional},
      {"RedirectURI", MS::InputType::String, nullptr, MS::Format::Url, kOptional},
      {"redirectType", MS::InputType::CString, nullptr, MS::Format::String, kOptional},
      {"domainLookupStart", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"domainLookupEnd", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"connectStart", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"tcpConnectEnd", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"secureConnectionStart", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"connectEnd", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"requestStart", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"responseStart", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional},
      {"responseEnd", MS::InputType::TimeStamp, nullptr, MS::Format::Time, kOptional}};
};

}  // namespace geckoprof::markers

#endif  // GECKOPROF_BASEPROFILER_NETWORK_MARKER_TYPE_H_
