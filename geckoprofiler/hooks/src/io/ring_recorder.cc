// The part of IoRecorder that counts requests to rings.
#include "baseprofiler/marker_abi.h"
#include "io/io_markers.h"
#include "io/io_recorder.h"
#include "runtime/hook_features.h"
#include "runtime/inside_hook.h"

namespace geckoprof {

IoState* IoRecorder::FindState() {
  IoState* const state = state_.load(std::memory_order_acquire);
  if (state != nullptr || IsInsideHook()) return state;
  const InsideHook inside;
  return Reserve();
}

uint32_t IoRecorder::FindRequestRow(IoState& state, const RingRequest& request, int ring) {
  switch (request.subject) {
    case RingRequest::Subject::kRegisteredFile: {
      uint32_t row = state.registered_file_row.load(std::memory_order_relaxed);
      if (row != 0) return row;
      row = FindNamedRow(IoClass::kOther, "(registered file)");
      state.registered_file_row.store(row, std::memory_order_relaxed);
      return row;
    }
    case RingRequest::Subject::kPath: {
      char room[1024];
      return FindNamedRow(IoClass::kPath, ReadProgramText(request.path, room, sizeof(room)));
    }
    case RingRequest::Subject::kDescriptor:
    case RingRequest::Subject::kRing:
      break;
  }
  return RowOf(request.subject == RingRequest::Subject::kRing ? ring : request.descriptor);
}

// The kind of a pending request is its row and its opcode.
void IoRecorder::CollectCompletions(IoState& state, RingTable::Locked& locked, const Ring& ring) {
  locked.Collect(ring, [&](uint32_t kind, int32_t result, bool has_more) {
    const uint32_t row = kind / RingRequest::kOpcodes;
    const auto opcode = static_cast<uint8_t>(kind % RingRequest::kOpcodes);
    const IoClass io_class = state.totals.ClassOf(row);
    const uint64_t bytes = result > 0 && RingRequest::MovesBytes(opcode) ? static_cast<uint64_t>(result) : 0;
    const uint64_t completed = has_more ? 0 : 1;
    state.requests.Add(row, io_class, opcode, {0, completed, bytes});
    AddToCounter(io_class, bytes, completed);
  });
}

void IoRecorder::NoteCompletions(const Ring& ring) {
  IoState* const state = FindState();
  if (state == nullptr) return;
  RingTable::Locked locked(state->rings, ring, 1);  // otherwise the next call finds them
  if (locked) CollectCompletions(*state, locked, ring);
}

void IoRecorder::CountSubmission(IoState& state, const Ring& ring, ChangedDescriptors& changed) {
  RingTable::Locked locked(state.rings, ring, RingTable::Locked::kAttempts);
  // This comes first, because the program may use the user data of a request that is complete again.
  if (locked) CollectCompletions(state, locked, ring);
  const RingEntries entries(ring);
  for (uint32_t i = 0; i < entries.size(); ++i) {
    const RingRequest request(entries[i]);
    const uint32_t row = FindRequestRow(state, request, ring.descriptor);
    if (request.changes_descriptor) {
      Forget(request.descriptor);
      changed.Add(request.descriptor);
    }
    if (row == 0) continue;
    const IoClass io_class = state.totals.ClassOf(row);
    if (HookFeatures(FeaturesOf(io_class)) == 0) continue;
    state.requests.Add(row, io_class, request.opcode, {1, 0, 0});
    if (locked && request.has_completion) locked.Add(request.user_data, row * RingRequest::kOpcodes + request.opcode);
  }
}

void IoRecorder::NoteSubmission(const Ring& ring, ChangedDescriptors& changed) {
  IoState* const state = FindState();
  if (state == nullptr) return;
  CountSubmission(*state, ring, changed);
  WriteTotalsIfDue(*state, geckoprof_base_time());
}

void IoRecorder::ForgetRing(const Ring& ring) {
  IoState* const state = state_.load(std::memory_order_acquire);
  if (state == nullptr) return;
  RingTable::Locked locked(state->rings, ring, RingTable::Locked::kAttempts);
  if (!locked) return;
  if (HookFeatures(kFeatures) != 0) CollectCompletions(*state, locked, ring);
  locked.Free();
}

// Requests that no marker was written for are counted again for the next time.
void IoRecorder::WriteRequests(IoState& state, geckoprof_time now, uint32_t most_markers) {
  const geckoprof_time since = state.last_markers.load(std::memory_order_relaxed);
  state.requests.Drain([&](uint32_t row, uint8_t opcode, const IoRequests::Sum& sum) {
    const IoClass io_class = state.totals.ClassOf(row);
    const std::string_view operation = RingRequest::NameOf(opcode);
    if (most_markers > 0 && AddIoRequests(io_class, state.totals.PathOf(row), operation, sum, since, now)) {
      --most_markers;
    } else {
      state.requests.Add(row, io_class, opcode, sum);
    }
  });
}

}  // namespace geckoprof
