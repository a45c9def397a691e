// A control request of a hostile sender. It is a good file with changes at places that the input chooses, and it may be
// cut or extended. Base's own class reads the file, and a recording gets the settings.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "control/received_request.h"
#include "geckoprof/config/start_parameters.h"

namespace {

using namespace geckoprof;

constexpr size_t kMostLines = 32;

// The file, where base looks for it.
class RequestFile {
 public:
  RequestFile() : number_(static_cast<uint64_t>(getpid())) {
    for (const char* const folder : kControlFolders) {
      path_ = std::string(folder) + "/" + kControlFilePrefix + std::to_string(number_);
      unlink(path_.c_str());
      file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
      if (file_ >= 0) return;
    }
    abort();
  }
  ~RequestFile() {
    close(file_);
    unlink(path_.c_str());
  }
  RequestFile(const RequestFile&) = delete;
  RequestFile& operator=(const RequestFile&) = delete;

  uint64_t number() const { return number_; }
  void Write(const ControlRequest& request, size_t bytes) const {
    if (ftruncate(file_, 0) != 0 || pwrite(file_, &request, sizeof(request), 0) != ssize_t{sizeof(request)}) abort();
    if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) abort();
  }
  uint32_t Answer() const {
    uint32_t answer = 0;
    return pread(file_, &answer, sizeof(answer), offsetof(ControlRequest, answer)) == sizeof(answer) ? answer : 0;
  }

 private:
  const uint64_t number_;
  std::string path_;
  int file_ = -1;
};

ControlRequest GoodRequest(uint64_t number) {
  ControlRequest request = {};
  memcpy(request.magic, ControlRequest::kMagic, sizeof(request.magic));
  request.size_bytes = sizeof(request);
  request.version = ControlRequest::kVersion;
  request.number = number;
  request.command = static_cast<uint32_t>(ControlCommand::kSet);
  constexpr char kSettings[] =
      "GECKOPROF_STARTUP_INTERVAL=0.5\0GECKOPROF_STARTUP_FILTERS=worker,pool\0GECKOPROF_STARTUP_FEATURES=cpu\0";
  static_assert(sizeof(kSettings) <= ControlRequest::kSettingsBytes);
  memcpy(request.settings, kSettings, sizeof(kSettings));
  request.settings_bytes = sizeof(kSettings) - 1;
  return request;
}

void Check(bool holds) {
  if (!holds) __builtin_trap();
}

void ReadAll(const RequestFile& file, size_t bytes) {
  ReceivedRequest request;
  if (!request.Open(file.number())) return;
  Check(bytes >= sizeof(ControlRequest));
  const bool is_of_this_version = request.IsOfThisVersion();
  const char* lines[kMostLines + 1];
  request.GetSettings(lines);
  size_t count = 0;
  for (; lines[count] != nullptr; ++count) {
    const size_t line_bytes = strlen(lines[count]);
    Check(count < kMostLines && line_bytes > 0 && line_bytes < ControlRequest::kSettingsBytes);
  }
  StartParameters parameters;
  ParseStartParameters(lines, parameters);
  ChangeStartParameters(lines, parameters);
  Check(parameters.interval_ns >= kMinIntervalNs && parameters.interval_ns <= kMaxIntervalNs);
  Check(parameters.capacity_bytes >= kMinCapacityBytes && parameters.capacity_bytes <= kMaxCapacityBytes);
  Check(parameters.filter.size() <= ThreadFilter::kMaxItems);
  request.Answer(is_of_this_version ? ControlAnswer::kDone : ControlAnswer::kUnknown);
  Check(file.Answer() != 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const RequestFile kFile;
  // The first bytes choose the size of the file, and a run of bytes or one byte that fills the settings. The rest are
  // single changes.
  constexpr size_t kHead = 4;
  if (size < kHead) return 0;
  ControlRequest request = GoodRequest(kFile.number());
  auto* const bytes = reinterpret_cast<uint8_t*>(&request);
  size_t at = kHead;
  if (const size_t run = data[0] % 4 == 0 ? size - at : 0; run != 0) {
    const size_t place = (data[1] | size_t{data[2]} << 8) % ControlRequest::kSettingsBytes;
    memcpy(request.settings + place, data + at, std::min(run, ControlRequest::kSettingsBytes - place));
    at = size;
  }
  if (data[0] % 4 == 1) memset(request.settings, data[1], sizeof(request.settings));
  for (; at + 2 < size; at += 3) {
    // Three of four changes are in the settings. Nearly all others would only spoil the head.
    const size_t place = data[at] | size_t{data[at + 1]} << 8;
    bytes[place % 4 == 0 ? place / 4 % 40 : 40 + place / 4 % 256] = data[at + 2];
  }
  const size_t file_bytes = data[3] < 240 ? sizeof(request) : sizeof(request) - 8 + data[3] % 16;
  kFile.Write(request, file_bytes);
  ReadAll(kFile, file_bytes);
  return 0;
}
