#include "tools/profile/profile_file.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

class ScratchFile {
 public:
  explicit ScratchFile(const std::string& bytes) {
    const int fd = mkstemp(name_);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(fd);
  }
  ~ScratchFile() { unlink(name_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  std::string name() const { return name_; }

 private:
  char name_[40] = "/tmp/geckoprof-file-test.XXXXXX";
};

std::string Gzip(const std::string& text) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(6);
  std::string packed(libdeflate_gzip_compress_bound(compressor, text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor, text.data(), text.size(), packed.data(), packed.size()));
  libdeflate_free_compressor(compressor);
  return packed;
}

std::string ErrorOf(const std::string& bytes, size_t max_bytes = kMaxProfileBytes) {
  const ScratchFile file(bytes);
  const auto text = ReadProfileFile(file.name(), max_bytes);
  return text.ok() ? "" : std::string(text.status().message());
}

TEST_CASE("the result's name") {
  CHECK(ProfileNameBeside("a.json.gz", ".syms.json.gz") == "a.syms.json.gz");
  CHECK(ProfileNameBeside("b/a.json", ".syms.json.gz") == "b/a.syms.json.gz");
  CHECK(ProfileNameBeside("-", ".syms.json.gz") == "profile.syms.json.gz");
  CHECK(ProfileNameBeside("a", ".syms.json.gz") == "a.syms.json.gz");
  CHECK(ProfileNameBeside(".json", ".syms.json.gz") == ".json.syms.json.gz");
}

TEST_CASE("plain and packed files") {
  const std::string text(100'000, 'x');
  const ScratchFile plain(text), packed(Gzip(text)), members(Gzip(text) + Gzip("more"));
  CHECK(*ReadProfileFile(plain.name()) == text);
  CHECK(*ReadProfileFile(packed.name()) == text);
  CHECK(*ReadProfileFile(members.name()) == text + "more");
}

TEST_CASE("files that cannot be read") {
  CHECK(ErrorOf("") == "is empty");
  CHECK(std::string(ReadProfileFile("/nonexistent").status().message()).find("No such file") != std::string::npos);
  CHECK(std::string(ReadProfileFile("/tmp").status().message()) == "is a directory");
  CHECK(std::string(ReadProfileFile("/dev/zero").status().message()) == "is a device, which has no end");
  CHECK(std::string(ReadProfileFile("/dev/null").status().message()) == "is empty");
  const std::string packed = Gzip("some text that is long enough to be packed");
  CHECK(ErrorOf(packed.substr(0, packed.size() - 5)) == "gzip data is truncated or corrupt");
  CHECK(ErrorOf("\x1f\x8b garbage") == "gzip data is truncated or corrupt");
  CHECK(ErrorOf(packed + "more") ==
        Concat("what follows the gzip data, from byte ", packed.size(), " on, is no gzip data"));
  CHECK(ErrorOf(Gzip("")) == "is empty");
}

TEST_CASE("a gzip bomb is refused, whether it says its size or lies") {
  constexpr size_t kLimit = 1 << 20;
  std::string bomb = Gzip(std::string(64 << 20, '\0'));
  CHECK(ErrorOf(bomb, kLimit) == "larger than 1 MiB");
  bomb.replace(bomb.size() - 4, 4, std::string("\1\0\0\0", 4));
  CHECK(ErrorOf(bomb, kLimit) == "larger than 1 MiB");
  CHECK(ErrorOf(std::string(kLimit + 1, 'x'), kLimit) == "larger than 1 MiB");
}

TEST_CASE("a small packed file may not become a large text") {
  constexpr size_t kText = size_t{41} << 20;
  const std::string bomb = Gzip(std::string(kText, ' '));
  CHECK(ErrorOf(bomb) == Concat("is gzip of ", bomb.size() >> 10, " KiB that unpacks to more than 40 MiB"));
  std::string liar = bomb;
  liar.replace(liar.size() - 4, 4, std::string("\1\0\0\0", 4));
  CHECK(ErrorOf(liar) == ErrorOf(bomb));
  const ScratchFile plain(std::string(kText, ' '));
  CHECK(ReadProfileFile(plain.name())->size() == kText);
}

}  // namespace
}  // namespace geckoprof
