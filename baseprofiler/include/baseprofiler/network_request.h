#ifndef GECKOPROF_BASEPROFILER_NETWORK_REQUEST_H_
#define GECKOPROF_BASEPROFILER_NETWORK_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "baseprofiler/markers.h"
#include "baseprofiler/network_marker_type.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/base/utf8.h"

namespace geckoprof {

// The times of the parts of a request that took place. All lie between its start and its end.
struct NetworkPhases {
  using Maybe = std::optional<TimeStamp>;
  Maybe domain_lookup_start = {}, domain_lookup_end = {};
  Maybe connect_start = {}, tcp_connect_end = {}, secure_connection_start = {}, connect_end = {};
  Maybe request_start = {}, response_start = {}, response_end = {};
};

// The result of a request.
struct NetworkOutcome {
  enum class Status : uint8_t { kDone, kRedirected, kCancelled };
  Status status = Status::kDone;
  std::optional<uint64_t> transferred_bytes = {};
  std::optional<int> response_status = {};       // 200, 404, ...
  std::optional<MarkerText> content_type = {};   // "text/html"
  std::optional<MarkerText> http_version = {};   // "h3", "h2", "http/1.1", "http/1.0"
  std::optional<MarkerText> cache = {};          // "Hit", "Missed", ...
  std::optional<MarkerText> redirected_to = {};  // an URL
  std::optional<MarkerText> redirect_type = {};  // "Permanent", "Temporary" or "Internal"
  NetworkPhases phases = {};
};

// NetworkRequest is one request over the network. It makes two markers, from which the viewer draws a bar in its
// network chart.
//
//   NetworkRequest request("https://example.org/a");    opened
//   ...
//   request.Start();                                     the request is sent: the first marker
//   ...
//   request.Finish(outcome);                             the second; the markers are of the thread that opened it
//
// Context: as markers, without heap. Threads: one at a time.
class NetworkRequest {
 public:
  // `url` must stay valid until the end. A lower `priority` is more urgent.
  explicit NetworkRequest(MarkerText url, int64_t priority = 0) : url_(url), priority_(priority) {
    if (geckoprof_base_wants_markers() == 0) return;
    opened_ = TimeStamp::Now();
    thread_ = MarkerThreadId::CurrentThread();
    ordinal_ = NextOrdinal();
    id_ = static_cast<int64_t>(FirstId() + ordinal_);
  }
  explicit NetworkRequest(const char* url, int64_t priority = 0) : NetworkRequest(MarkerText(url), priority) {}
  explicit NetworkRequest(std::string&& url,
                          int64_t priority = 0) = delete;  // It would be gone before the request ends.

  // May be called once.
  void Start() {
    if (geckoprof_base_wants_markers() == 0 || opened_.IsNull() || !started_.IsNull()) return;
    started_ = TimeStamp::Now();
    Mark("STATUS_START", opened_, started_, NetworkOutcome());
  }
  // May be called once, as the last function. A request that was opened before the recording has no markers. A request
  // that was cancelled before its start has both.
  void Finish(const NetworkOutcome& outcome = {}) {
    if (geckoprof_base_wants_markers() == 0 || opened_.IsNull()) return;
    Start();
    constexpr std::string_view kStatus[] = {"STATUS_STOP", "STATUS_REDIRECT", "STATUS_CANCEL"};
    Mark(kStatus[static_cast<size_t>(outcome.status)], started_, TimeStamp::Now(), outcome);
    opened_ = TimeStamp();
  }

 private:
#if GECKOPROF_IS_ENABLED_
  static uint32_t NextOrdinal() { return __atomic_add_fetch(&last_ordinal_, 1, __ATOMIC_RELAXED); }
  // Each library counts its own requests. The first id is unlikely to be near that of another library, or of the same
  // library when it is loaded again. Numbers of JSON have 53 bits.
  static uint64_t FirstId() {
    uint64_t first = __atomic_load_n(&first_id_, __ATOMIC_RELAXED);
    if (first != 0) return first;
    constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // Fibonacci hashing
    const uint64_t here = static_cast<uint64_t>(geckoprof_base_now()) + reinterpret_cast<uintptr_t>(&first_id_);
    const uint64_t mixed = (here * kGoldenRatio >> 12) | 1;
    const bool is_first =
        __atomic_compare_exchange_n(&first_id_, &first, mixed, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return is_first ? mixed : first;
  }

  __attribute__((visibility("hidden"))) static inline GECKOPROF_CONSTINIT_ uint32_t last_ordinal_ = 0;
  __attribute__((visibility("hidden"))) static inline GECKOPROF_CONSTINIT_ uint64_t first_id_ = 0;
#else
  static uint32_t NextOrdinal() { return 0; }
  static uint64_t FirstId() { return 0; }
#endif

  void Mark(std::string_view status, TimeStamp start, TimeStamp end, const NetworkOutcome& outcome) const {
    constexpr size_t kMaxNameBytes = 256;
    char room[kMaxNameBytes + 1];
    TextBuilder name(room);
    name.Text("Load ").Number(ordinal_).Text(": ");
    name.Text(Utf8Cut(url_, kMaxNameBytes - name.view().size()));
    const NetworkPhases& phases = outcome.phases;
    profiler_add_marker(name.view(), MarkerCategory::NETWORK,
                        MarkerOptions(MarkerTiming::Interval(start, end), thread_), markers::Network{}, start, end, id_,
                        status, priority_, url_, outcome.transferred_bytes, outcome.content_type, outcome.http_version,
                        outcome.response_status, outcome.cache, outcome.redirected_to, outcome.redirect_type,
                        phases.domain_lookup_start, phases.domain_lookup_end, phases.connect_start,
                        phases.tcp_connect_end, phases.secure_connection_start, phases.connect_end,
                        phases.request_start, phases.response_start, phases.response_end);
  }

  const std::string_view url_;
  const int64_t priority_;
  MarkerThreadId thread_;
  TimeStamp opened_, started_;
  uint32_t ordinal_ = 0;
  int64_t id_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_NETWORK_REQUEST_H_
