#include "core/remote_control.h"

#include "control/control_thread.h"
#include "control/received_request.h"
#include "core/profiler_core.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/config/control_request.h"
#include "process/session_place.h"
#include "sampler/seccomp_probe.h"

namespace geckoprof {
namespace {

constexpr int64_t kPatienceNs = kNsPerSecond;  // with the sampler

ControlAnswer AnswerFor(ProfilerCore::StartResult result) {
  using enum ProfilerCore::StartResult;
  switch (result) {
    case kStarted:
      return ControlAnswer::kDone;
    case kExcluded:
      return ControlAnswer::kExcluded;
    case kNoSegment:
      return ControlAnswer::kNoSegment;
    case kNoThread:
      return ControlAnswer::kNoThread;
    case kAlreadyActive:
    case kUnprepared:
      break;
  }
  return ControlAnswer::kUnchanged;
}
ControlAnswer AnswerFor(bool changed) { return changed ? ControlAnswer::kDone : ControlAnswer::kUnchanged; }

// The owner learns of a recording's settings by a function that demands a thread of libc. It notices by itself that a
// recording was stopped, paused or resumed.
bool HasOwner() { return RecordingState::Get().control().IsSteeredByOwner(); }

ControlAnswer UseSettings(const ReceivedRequest& request) {
  constexpr size_t kMostLines = 32;
  const char* lines[kMostLines + 1];
  request.GetSettings(lines);
  if (HasOwner()) return ControlAnswer::kOwned;
  ProfilerCore& core = ProfilerCore::Get();
  if (request.command() == ControlCommand::kSet) return AnswerFor(core.ChangeSettings(lines, kPatienceNs));
  if (IsSessionGone(core.parameters().session_dir)) (void)core.Stop();  // nobody can read that recording
  return AnswerFor(core.StartWithSettings(lines));
}

ControlAnswer Obey(const ReceivedRequest& request) {
  if (!request.IsOfThisVersion()) return ControlAnswer::kUnknown;
  ProfilerCore& core = ProfilerCore::Get();
  const ControlCommand command = request.command();
  switch (command) {
    case ControlCommand::kFlush:
      return AnswerFor(core.FlushPending(kPatienceNs));
    case ControlCommand::kStart:
    case ControlCommand::kSet:
      return UseSettings(request);
    case ControlCommand::kStop:
      return AnswerFor(core.Stop());
    case ControlCommand::kPause:
      return AnswerFor(core.Pause());
    case ControlCommand::kResume:
      return AnswerFor(core.Resume());
    case ControlCommand::kPauseSampling:
    case ControlCommand::kResumeSampling:
      return AnswerFor(core.SetPaused(PauseKind::kSampling, command == ControlCommand::kPauseSampling));
    default:
      return ControlAnswer::kUnknown;
  }
}

void ObeySignal(ControlOrder::Kind kind) {
  ProfilerCore& core = ProfilerCore::Get();
  if (kind == ControlOrder::Kind::kStop) {
    core.StopAndWrite();
  } else if (!HasOwner()) {
    (void)core.Start(core.parameters());
  }
}

// Runs on the control thread.
void Act(const ControlOrder& order) {
  // A filter may end the process for the calls that follow. A sender has looked for filters.
  const bool is_request = order.kind == ControlOrder::Kind::kRequest;
  const bool may_be_filtered = !is_request || order.value.is_filtered();
  if (may_be_filtered && !MayRecordUnderFilters(ProfilerCore::Get().parameters().seccomp_filters)) return;
  if (!RawThread::UnshareDescriptors()) return;  // the program must not see the files
  if (!is_request) return ObeySignal(order.kind);
  RawThread::ChangeToRootFolder();
  ReceivedRequest request;
  if (!request.Open(order.value.number())) return;
  request.Answer(ControlAnswer::kTaken);
  request.Answer(Obey(request));
}

}  // namespace

void ListenToControl(bool obeys_signals) { ControlThread::Get().Listen(&Act, obeys_signals); }

}  // namespace geckoprof
