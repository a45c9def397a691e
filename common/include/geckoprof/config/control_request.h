#ifndef GECKOPROF_CONFIG_CONTROL_REQUEST_H_
#define GECKOPROF_CONFIG_CONTROL_REQUEST_H_

#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace geckoprof {

// ControlCommand is a command of another process to a process with base (docs/formats/control-request.md).
enum class ControlCommand : uint32_t {
  kStart = 1,
  kStop = 2,
  kPause = 3,
  kResume = 4,
  kFlush = 5,  // write what threads have told the sampler into the segment
  kSet = 6,    // change the settings of the recording that runs
  kPauseSampling = 7,
  kResumeSampling = 8,
};

// The answer of the process. New values are appended.
enum class ControlAnswer : uint32_t {
  kUnseen = 0,     // the process has not seen the request
  kTaken = 1,      // the process works on it
  kDone = 2,       // the command was obeyed
  kUnchanged = 3,  // the process was in the wanted state already, or it records nothing
  kExcluded = 4,   // the filters exclude the process
  kNoSegment = 5,  // there is no memory or space for the recording
  kNoThread = 6,   // the kernel allows no further thread
  kOwned = 7,      // the full library controls the recording
  kUnknown = 8,    // the process does not know the command or the version
};

// ControlRequest is the file through which a command reaches a process. The sender makes it, and the signal has its
// number. The process writes `answer` alone.
//
//   <folder>/geckoprof-control-<number>     mode 0600, owned by the user of the process
//
// The process trusts a file only if its own user owns it and no other user has access.
struct ControlRequest {
  static constexpr char kMagic[8] = {'g', 'p', 'c', 'o', 'n', 't', 'r', 'l'};
  static constexpr uint32_t kVersion = 1;
  static constexpr size_t kSettingsBytes = 8192 - 40;

  char magic[8];
  uint32_t size_bytes;
  uint32_t version;
  uint64_t number;
  uint32_t command;         // ControlCommand
  uint32_t settings_bytes;  // of `settings`, with the last zero byte
  uint32_t answer;          // ControlAnswer
  uint32_t reserved;
  // Lines as in an environment ("GECKOPROF_STARTUP_INTERVAL=1"), each with its zero byte, for kStart and
  // kSet.
  char settings[kSettingsBytes];
};
static_assert(sizeof(ControlRequest) == 8192 && std::is_trivially_copyable_v<ControlRequest>);
static_assert(offsetof(ControlRequest, size_bytes) == 8 && offsetof(ControlRequest, number) == 16);
static_assert(offsetof(ControlRequest, answer) == 32 && offsetof(ControlRequest, settings) == 40);

inline constexpr char kControlFilePrefix[] = "geckoprof-control-";

// The folders in which the process looks for the file, as it sees them. Any user may write there, and each is sticky.
inline constexpr const char* kControlFolders[] = {"/dev/shm", "/tmp"};

// The signal that announces a request. Its default action is to be ignored.
inline constexpr int kControlSignal = SIGURG;

// ControlValue is the value of the signal. No address and no int begins like the mark.
//
//   | 16 bits: the mark | 1 bit: the process is under seccomp filters | 47 bits: the number of the request |
class ControlValue {
 public:
  static constexpr uint64_t kNumberMask = (uint64_t{1} << 47) - 1;

  constexpr ControlValue(uint64_t number, bool is_filtered)
      : value_(kMark << 48 | uint64_t{is_filtered} << 47 | (number & kNumberMask)) {}
  explicit ControlValue(const siginfo_t& info) : value_(reinterpret_cast<uint64_t>(info.si_value.sival_ptr)) {}

  // Returns true if the signal announces a request. Only the file tells if the request is allowed.
  static bool IsIn(const siginfo_t& info) {
    return info.si_code == SI_QUEUE && ControlValue(info).value_ >> 48 == kMark;
  }

  constexpr uint64_t number() const { return value_ & kNumberMask; }
  constexpr bool is_filtered() const { return (value_ >> 47 & 1) != 0; }
  void* pointer() const { return reinterpret_cast<void*>(value_); }

 private:
  static constexpr uint64_t kMark = 0x6b63;

  uint64_t value_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_CONTROL_REQUEST_H_
