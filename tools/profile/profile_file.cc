#include "tools/profile/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "absl/cleanup/cleanup.h"
#include "tools/json/growing_bytes.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

absl::Status TooLarge(size_t max_bytes) {
  return absl::ResourceExhaustedError(Concat("larger than ", max_bytes >> 20, " MiB"));
}

// Returns how many bytes a packed file may have unpacked. Profiles have five to thirty times the size of their packed
// file, and gzip packs a thousand equal bytes into one. A file of 1 MiB may have 40 MiB, and each further MiB 100 more.
size_t MostUnpackedBytes(size_t packed_bytes) {
  constexpr size_t kLeastBytes = size_t{40} << 20, kMostRatio = 100, kFirstBytes = size_t{1} << 20;
  return kLeastBytes + kMostRatio * (std::max(packed_bytes, kFirstBytes) - kFirstBytes);
}

absl::StatusOr<std::string> ReadBytes(const std::string& path, size_t max_bytes) {
  const int fd = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, "cannot open");
  const auto close_file = absl::MakeCleanup([fd] { close(fd); });
  struct stat status;
  if (fstat(fd, &status) != 0) return ErrnoStatus(errno, "cannot read");
  if (S_ISDIR(status.st_mode)) return absl::InvalidArgumentError("is a directory");
  const bool has_no_end = S_ISCHR(status.st_mode) && isatty(fd) == 0;  // /dev/zero, where /dev/null is empty
  std::string bytes;
  constexpr size_t kStepBytes = 1 << 20, kLeastStepBytes = 4096;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    if (static_cast<size_t>(status.st_size) > max_bytes) return TooLarge(max_bytes);
    bytes.reserve(static_cast<size_t>(status.st_size) + kLeastStepBytes);  // so the end is found without growing
    PreferHugePages(bytes.data(), bytes.capacity());
  }
  size_t length = 0;
  for (;;) {
    const size_t want = std::max(std::min(bytes.capacity() - length, kStepBytes), kLeastStepBytes);
    bytes.resize(length + want);
    const ssize_t got = read(fd, bytes.data() + length, want);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, "cannot read");
    length += static_cast<size_t>(got);
    if (length > max_bytes) return TooLarge(max_bytes);
    if (got == 0) break;
    if (has_no_end) return absl::InvalidArgumentError("is a device, which has no end");
  }
  bytes.resize(length);
  return bytes;
}

bool IsGzip(const std::string& bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && static_cast<unsigned char>(bytes[1]) == 0x8b;
}

// The unpacked size that the last four bytes claim; deflate cannot do better than 1032 : 1, so more is a lie.
size_t ClaimedBytes(const std::string& packed) {
  if (packed.size() < 18) return 0;
  const auto* last = reinterpret_cast<const unsigned char*>(packed.data()) + packed.size() - 4;
  const size_t claimed = last[0] | size_t{last[1]} << 8 | size_t{last[2]} << 16 | size_t{last[3]} << 24;
  return std::min(claimed, packed.size() * 1032);
}

// All members of a gzip file, one after the other.
absl::StatusOr<std::string> Unpack(const std::string& packed, size_t max_bytes) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (decompressor == nullptr) return absl::ResourceExhaustedError("no memory to unpack");
  const size_t most_bytes = std::min(max_bytes, MostUnpackedBytes(packed.size()));
  const auto too_large = [&] {
    if (most_bytes == max_bytes) return TooLarge(max_bytes);
    return absl::ResourceExhaustedError(
        Concat("is gzip of ", packed.size() >> 10, " KiB that unpacks to more than ", most_bytes >> 20, " MiB"));
  };
  if (ClaimedBytes(packed) > most_bytes) return too_large();
  std::string text;
  const size_t expected = std::max<size_t>(ClaimedBytes(packed), 4096);
  text.reserve(expected);
  PreferHugePages(text.data(), expected);
  text.resize(expected);
  size_t read = 0, written = 0;
  while (read < packed.size()) {
    size_t member_in = 0, member_out = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor.get(), packed.data() + read, packed.size() - read,
                                      text.data() + written, text.size() - written, &member_in, &member_out);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      if (text.size() >= most_bytes) return too_large();
      text.resize(std::min(text.size() * 2, most_bytes));
      continue;
    }
    if (result != LIBDEFLATE_SUCCESS) {
      if (read == 0) return absl::DataLossError("gzip data is truncated or corrupt");
      return absl::DataLossError(Concat("what follows the gzip data, from byte ", read, " on, is no gzip data"));
    }
    read += member_in;
    written += member_out;
  }
  text.resize(written);
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadProfileFile(const std::string& path, size_t max_bytes) {
  absl::StatusOr<std::string> bytes = ReadBytes(path, max_bytes);
  if (!bytes.ok()) return bytes;
  if (bytes->empty()) return absl::InvalidArgumentError("is empty");
  if (!IsGzip(*bytes)) return bytes;
  bytes = Unpack(*bytes, max_bytes);
  if (bytes.ok() && bytes->empty()) return absl::InvalidArgumentError("is empty");
  return bytes;
}

std::string ProfileNameBeside(const std::string& input, std::string_view ending) {
  std::string_view stem = input;
  if (stem == "-") stem = "profile";
  for (const std::string_view suffix : {".gz", ".json"}) {
    if (stem.size() > suffix.size() && stem.ends_with(suffix)) stem.remove_suffix(suffix.size());
  }
  return Concat(stem, ending);
}

}  // namespace geckoprof
