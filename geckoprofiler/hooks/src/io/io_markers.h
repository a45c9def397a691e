#ifndef GECKOPROF_HOOKS_IO_IO_MARKERS_H_
#define GECKOPROF_HOOKS_IO_IO_MARKERS_H_

#include <cstdint>
#include <string_view>

#include "baseprofiler/marker_abi.h"
#include "io/io_requests.h"
#include "io/io_totals.h"

namespace geckoprof {

// The types of markers. None of these functions allocates or locks. `skipped_frames` are our own.
//
//   FileIO     a slow call. Fields as in Firefox, and the bytes
//   NetIO      a slow call of a socket, or a slow look-up of a name
//   IOTotals   all calls of a class and a path in an interval
//   IORequests all requests to rings of a kind, for a class and a path, in an interval

struct IoMarker {
  geckoprof_time start, end;
  std::string_view operation;
  IoClass io_class;
  std::string_view subject;  // a path or a peer
  uint64_t read_bytes, written_bytes;
  uint32_t skipped_frames;
};
void AddFileIo(const IoMarker& marker);
void AddNetIo(const IoMarker& marker);

// Markers of the main thread. They return false if the marker was not recorded.
bool AddIoTotals(IoClass io_class, std::string_view path, const IoFigures& figures, geckoprof_time start,
                 geckoprof_time end);
bool AddIoRequests(IoClass io_class, std::string_view path, std::string_view operation, const IoRequests::Sum& sum,
                   geckoprof_time start, geckoprof_time end);

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_IO_MARKERS_H_
