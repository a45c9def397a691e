#include "geckoprof/modules/object_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "geckoprof/modules/unwind_sections.h"

using namespace geckoprof;

namespace {

constexpr size_t kPiece = SectionCopy::kPieceBytes;

size_t OpenDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// A file of two pieces of 'f', and memory of 'm' that is said to be its mapping.
class MappedFile {
 public:
  MappedFile() : memory_(2 * kPiece, 'm') {
    std::string name = (std::filesystem::temp_directory_path() / "geckoprof-object-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    path_ = folder_ + "/object";
    Write(std::string(2 * kPiece, 'f'));
    struct stat status {};
    REQUIRE(stat(path_.c_str(), &status) == 0);
    line_.inode = status.st_ino;
    line_.dev_major = major(status.st_dev);
    line_.dev_minor = minor(status.st_dev);
    line_.path = path_;
    head_.fill('f');
  }
  ~MappedFile() { std::filesystem::remove_all(folder_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  void Write(const std::string& contents) const { std::ofstream(path_, std::ios::binary) << contents; }
  const std::string& path() const { return path_; }
  MapsLine& line() { return line_; }
  ObjectFile Object() const { return ObjectFile(line_, head_); }
  SectionCopy Copy(const ObjectFile& object) const {
    return SectionCopy({ProcessMemory(), reinterpret_cast<uint64_t>(memory_.data()), &object, 0}, 2 * kPiece);
  }

 private:
  std::vector<uint8_t> memory_;
  std::array<uint8_t, ObjectFile::kHeadBytes> head_;
  std::string folder_, path_;
  MapsLine line_;
};

}  // namespace

TEST_CASE("a section is copied from its file, which stays open until it is closed") {
  const MappedFile file;
  const ObjectFile object = file.Object();
  const SectionCopy copy = file.Copy(object);
  const size_t before = OpenDescriptors();
  copy.Need(0, 1);
  CHECK(copy.data()[0] == 'f');
  CHECK(OpenDescriptors() == before + 1);
  object.Close();
  CHECK(OpenDescriptors() == before);
  copy.Need(kPiece, 1);
  CHECK(copy.data()[kPiece] == 'f');
  CHECK(OpenDescriptors() == before + 1);
}

TEST_CASE("a section is copied from memory where the file is not to be had") {
  MappedFile file;
  SECTION("removed") { std::filesystem::remove(file.path()); }
  SECTION("another one has its name") {
    ++file.line().inode;
    file.Write(std::string(2 * kPiece, 'x'));
  }
  const ObjectFile object = file.Object();
  const SectionCopy copy = file.Copy(object);
  copy.NeedAll();
  CHECK((copy.data()[0] == 'm' && copy.data()[2 * kPiece - 1] == 'm'));
}

TEST_CASE("what a file that was cut has no more comes from memory") {
  const MappedFile file;
  std::filesystem::resize_file(file.path(), kPiece);
  const ObjectFile object = file.Object();
  const SectionCopy copy = file.Copy(object);
  copy.NeedAll();
  CHECK((copy.data()[0] == 'f' && copy.data()[kPiece] == 'm'));
}

TEST_CASE("a mapping is known again by name, inode and device") {
  MappedFile file;
  const ObjectFile object = file.Object();
  CHECK(object.IsMappedBy(file.line()));
  ++file.line().inode;
  CHECK_FALSE(object.IsMappedBy(file.line()));
}
