#include "capture/saved_profile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/own_profile.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/output_target.h"

namespace geckoprof {
namespace {

// For a reader that takes nothing: who saves waits for the answer.
constexpr int64_t kPatienceNs = 10 * kNsPerSecond;

// The call and its failure, which the writer of JSON does not keep.
struct Writing {
  OutputTarget* target;
  int error;
};

bool WriteBytes(void* context, const char* bytes, size_t size_bytes) {
  auto* const writing = static_cast<Writing*>(context);
  writing->error = writing->target->Write(bytes, size_bytes);
  return writing->error == 0;
}

Outcome CannotWrite(const std::string& path, int error) {
  if (error == ENXIO) return {ProfilerStatus::kCannotWrite, path + ": nobody reads it"};
  if (error == EAGAIN) return {ProfilerStatus::kCannotWrite, path + ": its reader takes nothing"};
  return {ProfilerStatus::kCannotWrite, path + ": " + strerrordesc_np(error)};
}

}  // namespace

std::string ExpandProcessId(std::string_view name, int32_t pid) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) == "%p") {
      out += std::to_string(pid);
      ++i;
    } else {
      out += name[i];
    }
  }
  return out;
}

Outcome SaveOwnProfile(const BaseLink& base, const char* name) {
  if (name == nullptr || *name == '\0') return {ProfilerStatus::kBadArgument, "a file name is needed"};
  const std::string path = ExpandProcessId(name, getpid());
  OutputTarget target(kPatienceNs);
  if (const int error = target.Open(path.c_str()); error != 0) return CannotWrite(path, error);
  Writing writing{&target, 0};
  Outcome outcome = WriteOwnProfile(base, {&WriteBytes, &writing});
  if (writing.error != 0) return CannotWrite(path, writing.error);
  if (!outcome) return outcome;
  const int error = target.Commit();
  return error == 0 ? outcome : CannotWrite(path, error);
}

}  // namespace geckoprof
