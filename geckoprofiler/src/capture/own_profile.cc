#include "capture/own_profile.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/output_target.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/config/output_name.h"
#include "geckoprof/config/start_number.h"
#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/reader/recent_rows.h"
#include "geckoprof/reader/segment_reader.h"
#include "geckoprof/segment/segment_counts.h"
#include "runtime/api_call.h"
#include "runtime/hooks_link.h"

namespace geckoprof {
namespace {

// --- the text ---

const char* ToText(SegmentReadStatus status) {
  switch (status) {
    case SegmentReadStatus::kOk:
    case SegmentReadStatus::kDamaged:
      return "";
    case SegmentReadStatus::kCannotOpen:
    case SegmentReadStatus::kNotASegment:
      return "the recording ended meanwhile";
    case SegmentReadStatus::kNewerVersion:
      return "the loaded libbaseprofiler.so writes a newer format than this library reads";
  }
  return "the segment cannot be read";
}

// The sampler is asleep or in the middle of a tick. On a busy machine it may have to wait for a processor.
constexpr int64_t kFlushTimeoutNs = 20'000'000;

struct Job {
  const BaseLink* base;
  const JsonSink* sink;
  const ProfileRequest* request;
  ProfilerOutcome outcome;
};

// The processes of the profile for the writer, and the sink, which ends after a cancel.
struct Output {
  const ProcessProfile* own;
  const ProfileRequest* request;
  const JsonSink* sink;

  bool is_cancelled() const { return request->gathering != nullptr && request->gathering->is_cancelled(); }
  size_t count() const { return 1 + (request->gathering != nullptr ? request->gathering->size() : 0); }

  static const ProcessProfile& At(const void* self, size_t process) {
    const auto* const output = static_cast<const Output*>(self);
    return process == 0 ? *output->own : output->request->gathering->at(process - 1);
  }
  static void Written(void* self, size_t process, uint64_t bytes) {
    static_cast<const Output*>(self)->request->gathering->NoteWritten(process, bytes);
  }
  static void AddToLog(void* self, JsonWriter& writer) {
    const auto* const output = static_cast<const Output*>(self);
    if (output->request->log.empty()) return;
    writer.StartObjectProperty("children");
    output->request->log.Write(output->own->start_ns, writer);
    writer.EndObject();
  }
  static void AddToProfile(void* self, JsonWriter& writer) {
    const auto* const output = static_cast<const Output*>(self);
    output->request->gathering->WriteLog(OutputPid(*output->own), output->own->start_ns, writer);
  }
  static bool Write(void* self, const char* bytes, size_t size_bytes) {
    const auto* const output = static_cast<const Output*>(self);
    return !output->is_cancelled() && output->sink->write(output->sink->context, bytes, size_bytes);
  }
};

// The segment of one recording. It has no bytes once another recording has begun.
struct OneSegment {
  const BaseLink* base;
  const void* header;

  static const void* At(const void* self, uint64_t offset, uint64_t* bytes) {
    const auto* const one = static_cast<const OneSegment*>(self);
    if (one->base->SegmentAt(0, bytes) != one->header) return nullptr;
    return one->base->SegmentAt(offset, bytes);
  }
};

void Run(void* argument) {
  auto* const job = static_cast<Job*>(argument);
  uint64_t size_bytes = 0;
  const OneSegment segment{job->base, job->base->SegmentAt(0, &size_bytes)};
  if (segment.header == nullptr) {
    job->outcome = {ProfilerStatus::kInactive, {}};
    return;
  }
  job->base->WaitUntilWritten(kFlushTimeoutNs);
  ProcessProfile profile;
  const SegmentReadResult result = ReadMappedSegment({&OneSegment::At, &segment}, profile);
  if (result.status != SegmentReadStatus::kOk && result.status != SegmentReadStatus::kDamaged) {
    job->outcome = {ProfilerStatus::kGenerationFailed, ToText(result.status)};
    return;
  }
  KeepRowsSince(job->request->since_ns, profile);
  Output output{&profile, job->request, job->sink};
  GeckoHooks hooks;
  hooks.context = &output;
  hooks.add_to_log = &Output::AddToLog;
  if (job->request->gathering != nullptr) {
    hooks.written = &Output::Written;
    if (job->request->gathering->has_read()) hooks.add_to_profile = &Output::AddToProfile;
  }
  JsonWriter writer({&Output::Write, &output});
  WriteGeckoProfile({output.count(), &Output::At, &output}, writer, {}, hooks);
  if (!writer.Finish()) job->outcome = {ProfilerStatus::kCannotWrite, {}};
  if (output.is_cancelled()) job->outcome = {ProfilerStatus::kCancelled, {}};
}

// --- the file ---

// The caller waits for the answer, so a reader of the file that reads nothing is given up after this time.
constexpr int64_t kPatienceNs = 10 * kNsPerSecond;

// The target and the errno of its failure, which the JSON writer does not keep.
struct Writing {
  OutputTarget* target;
  int error;
};

bool WriteBytes(void* context, const char* bytes, size_t size_bytes) {
  auto* const writing = static_cast<Writing*>(context);
  writing->error = writing->target->Write(bytes, size_bytes);
  return writing->error == 0;
}

ProfilerOutcome CannotWrite(const std::string& path, int error) {
  if (error == ENXIO) return {ProfilerStatus::kCannotWrite, path + ": nobody reads it"};
  if (error == EAGAIN) return {ProfilerStatus::kCannotWrite, path + ": its reader takes nothing"};
  return {ProfilerStatus::kCannotWrite, path + ": " + strerrordesc_np(error)};
}

// --- the time zero ---

// The first caller writes it once. Relaxed, because it publishes no other data.
constinit std::atomic<int64_t> g_start_ns{0};

// Reads the 22nd word of /proc/self/stat. It is the 20th word after the name, which ends with the last ')'.
int64_t KernelStartNs(int64_t now_ns) {
  std::string text;
  if (ReadWholeFile("/proc/self/stat", text) != 0) return now_ns;
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return now_ns;
  std::string_view rest = std::string_view(text).substr(name_end + 1);
  for (int word = 0; word < 20; ++word) {
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) return now_ns;
    rest.remove_prefix(space + 1);
  }
  const auto ticks = ParseDecimal(rest.substr(0, rest.find(' ')));
  const int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
  timespec boot = {};
  if (!ticks || ticks_per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0) return now_ns;
  const int64_t since_boot_ns = boot.tv_sec * kNsPerSecond + boot.tv_nsec;
  const int64_t age_ns = since_boot_ns - static_cast<int64_t>(*ticks) * (kNsPerSecond / ticks_per_second);
  return age_ns < 0 || age_ns > since_boot_ns ? now_ns : now_ns - age_ns;
}

}  // namespace

ProfilerOutcome WriteOwnProfile(const BaseLink& base, const JsonSink& sink, const ProfileRequest& request) {
  if (!base.usable()) return base.usable();
  if (!base.has_segment()) {
    return {ProfilerStatus::kOldBase, "the loaded libbaseprofiler.so is too old to say where it records to"};
  }
  HooksLink::WriteSums();
  Job job{&base, &sink, &request, {}};
  if (!RunUnlessOutOfMemory(&Run, &job)) {
    return {ProfilerStatus::kNoMemory, {}};
  }
  return job.outcome;
}

ProfilerOutcome SaveOwnProfile(const BaseLink& base, const char* name, const ProfileRequest& request) {
  if (name == nullptr || *name == '\0') return {ProfilerStatus::kBadArgument, "a file name is needed"};
  char expanded[PATH_MAX];
  TextBuilder text(expanded);
  ExpandOutputName(name, FindRank(environ), getpid(), text);
  if (!text.complete()) return CannotWrite(name, ENAMETOOLONG);
  const std::string path(text.view());
  OutputTarget target(kPatienceNs);
  if (const int error = target.Open(path.c_str()); error != 0) return CannotWrite(path, error);
  Writing writing{&target, 0};
  ProfilerOutcome outcome = WriteOwnProfile(base, {&WriteBytes, &writing}, request);
  if (writing.error != 0) return CannotWrite(path, writing.error);
  if (!outcome) return outcome;
  const int error = target.Commit();
  return error == 0 ? outcome : CannotWrite(path, error);
}

int64_t ProcessStartNs(const BaseLink& base) {
  int64_t start_ns = g_start_ns.load(std::memory_order_relaxed);
  if (start_ns != 0) return start_ns;
  uint64_t size_bytes = 0;
  const void* const segment = base.SegmentAt(0, &size_bytes);
  int64_t found_ns = SegmentTimeZeroNs(segment, size_bytes);
  if (found_ns == 0) found_ns = base.process_start_ns();
  if (found_ns == 0) found_ns = KernelStartNs(MonotonicNs());
  return g_start_ns.compare_exchange_strong(start_ns, found_ns, std::memory_order_relaxed) ? found_ns : start_ns;
}

}  // namespace geckoprof
