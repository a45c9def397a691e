#include "geckoprof/modules/module.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "geckoprof/arch/registers.h"

using namespace geckoprof;

namespace {

constexpr uint64_t kSvma = 0x10000;
constexpr size_t kFileBytes = 0x3000;
constexpr size_t kNoteOffset = 0x400;
constexpr size_t kEhFrameOffset = 0x800;
constexpr size_t kEhFrameBytes = 0x18;
constexpr char kBuildId[] = "0123456789abcdefghij";

// A shared object in memory and as a file in a folder of its own:
//   0 header, 0x40 program headers, 0x400 note, 0x800 .eh_frame, 0x1800 section table, 0x1a00 its names, 0x2000 free
class Object {
 public:
  Object() : bytes_(kFileBytes) {
    std::memcpy(header().e_ident, ELFMAG, SELFMAG);
    header().e_ident[EI_CLASS] = ELFCLASS64;
    header().e_ident[EI_DATA] = ELFDATA2LSB;
    header().e_type = ET_DYN;
    header().e_machine = kElfMachine;
    header().e_entry = kSvma + 0x1040;
    header().e_phoff = sizeof(Elf64_Ehdr);
    header().e_phentsize = sizeof(Elf64_Phdr);
    header().e_phnum = 2;
    program_header(0) = {PT_LOAD, PF_R | PF_X, 0, kSvma, 0, kFileBytes, kFileBytes + 0x801, 0x1000};
    program_header(1) = {PT_NOTE, PF_R, 0, 0, 0, 0, 0, 4};
    SetNote(kNoteOffset);
    std::string name = (std::filesystem::temp_directory_path() / "geckoprof-module-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~Object() {
    if (memory_ != nullptr) munmap(memory_, kFileBytes);
    std::filesystem::remove_all(folder_);
  }

  Elf64_Ehdr& header() { return *reinterpret_cast<Elf64_Ehdr*>(bytes_.data()); }
  Elf64_Phdr& program_header(size_t index) { return at<Elf64_Phdr>(header().e_phoff + index * sizeof(Elf64_Phdr)); }
  template <typename T>
  T& at(size_t offset) {
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }
  std::string path() const { return folder_ + "/object.so"; }

  void SetNote(size_t offset) {
    const Elf64_Nhdr note = {4, 20, NT_GNU_BUILD_ID};
    std::memcpy(bytes_.data() + offset, &note, sizeof note);
    std::memcpy(bytes_.data() + offset + sizeof note, "GNU", 4);
    std::memcpy(bytes_.data() + offset + sizeof note + 4, kBuildId, 20);
    const uint64_t size_bytes = sizeof note + 4 + 20;
    program_header(1) = {PT_NOTE, PF_R, offset, kSvma + offset, kSvma + offset, size_bytes, size_bytes, 4};
  }
  Elf64_Shdr& section() { return at<Elf64_Shdr>(0x1800 + sizeof(Elf64_Shdr)); }
  // The section keeps the place of .eh_frame. It has no address, because no loader maps it.
  void AddDebugFrame() {
    AddSections();
    std::memcpy(&at<char>(0x1a01), ".debug_frame", 13);
    section().sh_addr = 0;
  }
  void AddSections() {
    header().e_shoff = 0x1800;
    header().e_shentsize = sizeof(Elf64_Shdr);
    header().e_shnum = 3;
    header().e_shstrndx = 2;
    std::memcpy(&at<char>(0x1a01), ".eh_frame", 10);
    Elf64_Shdr& eh_frame = at<Elf64_Shdr>(0x1800 + sizeof(Elf64_Shdr));
    eh_frame.sh_name = 1;
    eh_frame.sh_type = SHT_PROGBITS;
    eh_frame.sh_addr = kSvma + kEhFrameOffset;
    eh_frame.sh_offset = kEhFrameOffset;
    eh_frame.sh_size = kEhFrameBytes;
    at<Elf64_Shdr>(0x1800 + 2 * sizeof(Elf64_Shdr)).sh_offset = 0x1a00;
    at<uint32_t>(kEhFrameOffset) = 0x14;
  }
  // The program headers where tools that edit files put them.
  void MoveProgramHeaders(size_t offset) {
    std::memcpy(&at<uint8_t>(offset), &at<uint8_t>(header().e_phoff), 2 * sizeof(Elf64_Phdr));
    std::memset(&at<uint8_t>(header().e_phoff), 0, 2 * sizeof(Elf64_Phdr));
    header().e_phoff = offset;
  }

  // Loads the object and writes its file. The line is what the kernel would say of it.
  MapsLine Load() {
    std::ofstream(path(), std::ios::binary).write(reinterpret_cast<const char*>(bytes_.data()), kFileBytes);
    memory_ = mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory_ != MAP_FAILED);
    std::memcpy(memory_, bytes_.data(), kFileBytes);
    struct stat status {};
    REQUIRE(stat(path().c_str(), &status) == 0);
    kept_path_ = path();
    MapsLine line;
    line.start_avma = reinterpret_cast<uint64_t>(memory_);
    line.end_avma = line.start_avma + 0x1000;
    line.inode = status.st_ino;
    line.dev_major = major(status.st_dev);
    line.dev_minor = minor(status.st_dev);
    line.path = kept_path_;
    return line;
  }
  uint8_t* memory() { return static_cast<uint8_t*>(memory_); }

 private:
  std::vector<uint8_t> bytes_;
  std::string folder_, kept_path_;
  void* memory_ = nullptr;
};

std::unique_ptr<Module> Open(const MapsLine& line) { return Module::Open(9, line, ProcessMemory(), 77); }

}  // namespace

TEST_CASE("an object is described from the first page of its memory") {
  Object object;
  const MapsLine line = object.Load();
  std::filesystem::remove(object.path());  // its file is not wanted
  const auto module = Open(line);
  REQUIRE(module != nullptr);
  CHECK(module->id() == 9);
  CHECK(module->mapped_ns() == 77);
  CHECK(module->start_avma() == line.start_avma);
  CHECK(module->end_avma() == line.start_avma + 0x4000);  // the segment's memory in whole pages
  CHECK(module->bias() == line.start_avma - kSvma);
  CHECK(module->entry_avma() == line.start_avma + 0x1040);
  CHECK(module->path() == object.path());
  CHECK(module->build_id() == kBuildId);
  CHECK(module->text_ranges().empty());
  CHECK(module->unwind_sections() == nullptr);
}

TEST_CASE("an object without an entry has none") {
  Object object;
  object.header().e_entry = 0;
  MapsLine line = object.Load();
  line.path = "[vdso]";
  const auto module = Open(line);
  REQUIRE(module != nullptr);
  CHECK(module->entry_avma() == 0);
}

TEST_CASE("the kernel's spelling of a newline in a path is undone") {
  Object object;
  MapsLine line = object.Load();
  line.path = "/a\\012b.so";
  const auto module = Open(line);
  REQUIRE(module != nullptr);
  CHECK(module->path() == "/a\nb.so");
}

TEST_CASE("the first segment may begin in the middle of the file's first page") {
  Object object;
  object.program_header(0).p_offset = 0x240;
  object.program_header(0).p_vaddr = kSvma + 0x240;
  const MapsLine line = object.Load();
  const auto module = Open(line);
  REQUIRE(module != nullptr);
  CHECK(module->bias() == line.start_avma - kSvma);
}

TEST_CASE("what is no loaded object gives no module") {
  Object object;
  SECTION("another file") { object.header().e_ident[1] = 'X'; }
  SECTION("another machine") { object.header().e_machine = EM_68K; }
  SECTION("no segment is loaded") { object.program_header(0).p_type = PT_NULL; }
  SECTION("the first segment is not at the file's beginning") { object.program_header(0).p_offset = 0x1000; }
  SECTION("nothing in memory") { object.program_header(0).p_memsz = object.program_header(0).p_filesz = 0; }
  CHECK(Open(object.Load()) == nullptr);
}

TEST_CASE("memory that is not there gives no module") {
  Object object;
  const MapsLine line = object.Load();
  REQUIRE(munmap(object.memory(), 0x1000) == 0);
  CHECK(Open(line) == nullptr);
}

TEST_CASE("a build id past the first page is read from memory") {
  Object object;
  object.SetNote(0x1200);
  const MapsLine line = object.Load();
  std::filesystem::remove(object.path());
  SECTION("there") {
    const auto module = Open(line);
    REQUIRE(module != nullptr);
    CHECK(module->build_id() == kBuildId);
  }
  SECTION("not there") {
    REQUIRE(munmap(object.memory() + 0x1000, 0x1000) == 0);
    const auto module = Open(line);
    REQUIRE(module != nullptr);
    CHECK(module->build_id().empty());
  }
}

TEST_CASE("a mapping is the same if its place, file and name are") {
  Object object;
  const MapsLine line = object.Load();
  const auto module = Open(line);
  REQUIRE(module != nullptr);
  MapsLine other = line;
  other.end_avma += 0x1000;  // pages behind may come and go
  CHECK(module->IsSameMapping(other));
  const auto differs = [&](auto change) {
    MapsLine changed = line;
    change(changed);
    return !module->IsSameMapping(changed);
  };
  CHECK(differs([](MapsLine& changed) { changed.start_avma += 0x1000; }));
  CHECK(differs([](MapsLine& changed) { ++changed.inode; }));
  CHECK(differs([](MapsLine& changed) { ++changed.dev_major; }));
  CHECK(differs([](MapsLine& changed) { ++changed.dev_minor; }));
  CHECK(differs([](MapsLine& changed) { changed.path = "/other.so"; }));
}

// Program headers at the end of the file are where the file alone says something.
TEST_CASE("the file is read if it still is the one that is mapped") {
  Object object;
  object.MoveProgramHeaders(0x2000);
  MapsLine line = object.Load();
  // Its headers are not to be had from memory, which may hold other bytes there.
  std::memset(object.memory() + 0x2000, 0xff, 2 * sizeof(Elf64_Phdr));
  SECTION("by its inode and device") {
    const auto module = Open(line);
    REQUIRE(module != nullptr);
    CHECK(module->bias() == line.start_avma - kSvma);
    CHECK(module->build_id() == kBuildId);
  }
  SECTION("by its first bytes, where the device is shown otherwise") {
    ++line.dev_minor;
    CHECK(Open(line) != nullptr);
  }
  SECTION("by its first bytes, where an equal one has taken its place") {
    ++line.inode;
    line.deleted = true;
    CHECK(Open(line) != nullptr);
  }
  SECTION("not where another one has its name") {
    ++line.inode;
    std::fstream(object.path(), std::ios::in | std::ios::out).seekp(0x300) << "changed";
    CHECK(Open(line) == nullptr);
  }
  SECTION("not where it is deleted and its inode given to another one") {
    line.deleted = true;
    std::fstream(object.path(), std::ios::in | std::ios::out).seekp(0x300) << "changed";
    CHECK(Open(line) == nullptr);
  }
  SECTION("not where it was cut") {
    std::filesystem::resize_file(object.path(), 0x2010);
    CHECK(Open(line) == nullptr);
  }
  SECTION("not by a relative name") {
    const std::string relative = object.path().substr(1);
    line.path = relative;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path("/");
    CHECK(Open(line) == nullptr);
    std::filesystem::current_path(before);
  }
  SECTION("not a pipe, for which nobody waits") {
    std::filesystem::remove(object.path());
    REQUIRE(mkfifo(object.path().c_str(), 0600) == 0);
    CHECK(Open(line) == nullptr);
  }
}

TEST_CASE("where no header names the unwind sections, the file's section table does") {
  Object object;
  object.AddSections();
  const bool writable = GENERATE(false, true);
  if (writable) object.program_header(0).p_flags |= PF_W;
  MapsLine line = object.Load();
  object.memory()[kEhFrameOffset + 5] = 0x55;
  SECTION("the mapped file") {
    const auto module = Open(line);
    REQUIRE(module != nullptr);
    const UnwindSections* const sections = module->unwind_sections();
    REQUIRE(sections != nullptr);
    CHECK_FALSE(sections->has_table());
    CHECK(sections->eh_frame().svma == kSvma + kEhFrameOffset);
    REQUIRE(sections->eh_frame().size_bytes == kEhFrameBytes);
    CHECK(sections->eh_frame().data[0] == 0x14);
    // The bytes are the file's where memory cannot differ from it.
    CHECK(sections->eh_frame().data[5] == (writable ? 0x55 : 0));
    std::filesystem::remove(object.path());
    CHECK(module->unwind_sections() == sections);  // looked for once
  }
  SECTION("another file") {
    ++line.inode;
    std::fstream(object.path(), std::ios::in | std::ios::out).seekp(0x300) << "changed";
    const auto module = Open(line);
    REQUIRE(module != nullptr);
    CHECK(module->unwind_sections() == nullptr);
    std::filesystem::copy_file("/bin/true", object.path(), std::filesystem::copy_options::overwrite_existing);
    CHECK(module->unwind_sections() == nullptr);
  }
}

TEST_CASE(".debug_frame is read from the mapped file, and from nowhere else") {
  Object object;
  object.AddDebugFrame();
  SECTION("as it is") {
    const auto module = Open(object.Load());
    REQUIRE(module != nullptr);
    CHECK(module->unwind_sections() == nullptr);
    const UnwindSections* const sections = module->debug_frame();
    REQUIRE(sections != nullptr);
    CHECK_FALSE(sections->has_table());
    CHECK(sections->eh_frame().is_debug_frame);
    REQUIRE(sections->eh_frame().size_bytes == kEhFrameBytes);
    CHECK(sections->eh_frame().data[0] == 0x14);
  }
  SECTION("compressed") {
    object.section().sh_flags = SHF_COMPRESSED;
    CHECK(Open(object.Load())->debug_frame() == nullptr);
  }
  SECTION("without bytes in the file") {
    object.section().sh_type = SHT_NOBITS;
    CHECK(Open(object.Load())->debug_frame() == nullptr);
  }
  SECTION("larger than the limit") {
    object.section().sh_size = UnwindSections::kMaxDebugFrameBytes + 1;
    CHECK(Open(object.Load())->debug_frame() == nullptr);
  }
  SECTION("past the end of the file: the bytes that are missing are zeros") {
    object.section().sh_offset = kFileBytes - 1;
    const auto module = Open(object.Load());
    REQUIRE(module->debug_frame() != nullptr);
    CHECK(module->debug_frame()->eh_frame().data[kEhFrameBytes - 1] == 0);
  }
  SECTION("of another file") {
    MapsLine line = object.Load();
    ++line.inode;
    std::fstream(object.path(), std::ios::in | std::ios::out).seekp(0x300) << "changed";
    CHECK(Open(line)->debug_frame() == nullptr);
  }
}
