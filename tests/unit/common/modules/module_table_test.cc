#include "geckoprof/modules/module_table.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "geckoprof/arch/registers.h"
#include "geckoprof/base/fd.h"

using namespace geckoprof;

namespace {

std::string SelfMaps() {
  std::string text;
  REQUIRE(ReadWholeFile("/proc/self/maps", text) == 0);
  return text;
}

uint64_t AddressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// A shared library of which a copy may be loaded, renamed and deleted.
std::filesystem::path CopyOfLibrary(const char* name) {
  Dl_info info;
  void* handle = dlopen("libm.so.6", RTLD_NOW);
  REQUIRE(handle != nullptr);
  REQUIRE(dladdr(dlsym(handle, "cbrt"), &info) != 0);
  const auto copy = std::filesystem::temp_directory_path() / (std::string(name) + std::to_string(getpid()) + ".so");
  std::filesystem::copy_file(info.dli_fname, copy, std::filesystem::copy_options::overwrite_existing);
  return copy;
}

}  // namespace

TEST_CASE("this process's modules are found with bias, text and unwind sections") {
  ModuleTable table;
  const ModuleTable::Changes changes = table.Refresh(SelfMaps(), 77);
  CHECK(changes.added.size() >= 4);
  CHECK(changes.removed.empty());

  Module* libc = table.Find(AddressOf(reinterpret_cast<void*>(&getauxval)));
  REQUIRE(libc != nullptr);
  Dl_info info;
  REQUIRE(dladdr(reinterpret_cast<void*>(&getauxval), &info) != 0);
  CHECK(libc->start_avma() == AddressOf(info.dli_fbase));
  CHECK(libc->bias() == AddressOf(info.dli_fbase));
  CHECK(libc->path().find("libc.so.6") != std::string::npos);
  CHECK(libc->build_id().size() == 20);
  CHECK(libc->mapped_ns() == 77);
  CHECK(table.FindById(libc->id()) == libc);
  REQUIRE_FALSE(libc->text_ranges().empty());
  CHECK(libc->text_ranges()[0].Contains(AddressOf(reinterpret_cast<void*>(&getauxval))));
  REQUIRE(libc->unwind_sections() != nullptr);
  CHECK(libc->unwind_sections()->has_table());

  Module* own = table.Find(AddressOf(reinterpret_cast<void*>(&SelfMaps)));
  REQUIRE(own != nullptr);
  CHECK(own->unwind_sections() != nullptr);
  CHECK(own->entry_avma() == getauxval(AT_ENTRY));
}

// The list is read, then the memory: in between another library may have taken a place that had become free.
TEST_CASE("a library under the name of the one before it is dropped, and found again") {
  const auto mapped = CopyOfLibrary("mapped"), listed = CopyOfLibrary("listed");
  std::fstream(listed).seekp(ObjectFile::kHeadBytes - 8).write("another", 7);
  void* const handle = dlopen(mapped.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  const uint64_t inside = AddressOf(dlsym(handle, "cbrt"));
  const auto inode_text = [](const std::filesystem::path& path) {
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return " " + std::to_string(status.st_ino) + " ";
  };
  std::string maps;
  std::istringstream lines(SelfMaps());
  for (std::string line; std::getline(lines, line);) {
    const size_t path_at = line.find(mapped.string());
    if (path_at != std::string::npos) {
      line.replace(path_at, std::string::npos, listed.string());
      const std::string wrong = inode_text(mapped);
      line.replace(line.find(wrong), wrong.size(), inode_text(listed));
    }
    maps += line + "\n";
  }

  ModuleTable table;
  ModuleTable::Changes changes = table.Refresh(maps, 1);
  const size_t added = changes.added.size();
  REQUIRE(table.Find(inside) != nullptr);
  CHECK(table.Find(inside)->path() == listed);
  CHECK(table.DropMistaken(changes));
  CHECK(changes.added.size() == added - 1);
  CHECK(table.Find(inside) == nullptr);

  changes = table.Refresh(SelfMaps(), 2);
  CHECK_FALSE(table.DropMistaken(changes));
  CHECK(changes.added.size() == 1);
  REQUIRE(table.Find(inside) != nullptr);
  CHECK(table.Find(inside)->path() == mapped);
  dlclose(handle);
  std::filesystem::remove(mapped);
  std::filesystem::remove(listed);
}

TEST_CASE("the vDSO is a module whose unwind sections come from memory") {
  const uint64_t vdso_avma = getauxval(AT_SYSINFO_EHDR);
  if (vdso_avma == 0) return;  // user-mode emulators have none
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  Module* vdso = table.Find(vdso_avma);
  if (vdso == nullptr) return;
  CHECK(vdso->path() == "[vdso]");
  CHECK_FALSE(vdso->build_id().empty());
  CHECK(vdso->unwind_sections() != nullptr);
}

TEST_CASE("nothing changes when nothing changed, though our own mappings of sections came to be") {
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  for (const auto& module : table.modules()) module->unwind_sections();
  const uint32_t generation = table.generation();
  const ModuleTable::Changes changes = table.Refresh(SelfMaps(), 1);
  CHECK(changes.added.empty());
  CHECK(changes.removed.empty());
  CHECK(table.generation() == generation);
}

TEST_CASE("a library that comes and goes is added and removed under an id of its own") {
  const auto copy = CopyOfLibrary("geckoprof-come-and-go-");
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  const uint32_t removals = table.removal_generation();

  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  ModuleTable::Changes changes = table.Refresh(SelfMaps(), 1);
  REQUIRE(changes.added.size() == 1);
  const uint32_t id = changes.added[0];
  CHECK(table.FindById(id)->path() == copy.string());
  const uint64_t start_avma = table.FindById(id)->start_avma();
  CHECK(table.removal_generation() == removals);

  dlclose(handle);
  changes = table.Refresh(SelfMaps(), 2);
  CHECK(changes.added.empty());
  CHECK(changes.removed == std::vector<uint32_t>{id});
  REQUIRE(changes.removed_ranges.size() == 1);
  CHECK(changes.removed_ranges[0].start_avma == start_avma);
  CHECK(table.FindById(id) == nullptr);
  CHECK(table.removal_generation() == removals + 1);

  handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  changes = table.Refresh(SelfMaps(), 3);
  REQUIRE(changes.added.size() == 1);
  CHECK(changes.added[0] > id);
  dlclose(handle);
  std::filesystem::remove(copy);
}

TEST_CASE("a deleted or replaced file is not read: its unwind sections come from memory") {
  const auto copy = CopyOfLibrary("geckoprof-deleted-");
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  const uint64_t function = AddressOf(dlsym(handle, "cbrt"));
  const bool replaced = GENERATE(false, true);
  std::filesystem::remove(copy);
  if (replaced) std::ofstream(copy) << std::string(100000, 'x');
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  Module* module = table.Find(function);
  REQUIRE(module != nullptr);
  CHECK(module->path() == copy.string());
  const UnwindSections* sections = module->unwind_sections();
  REQUIRE(sections != nullptr);
  CHECK(sections->FindInTable(function - module->bias()) != UnwindSections::kNotFound);
  dlclose(handle);
  std::filesystem::remove(copy);
}

TEST_CASE("a file that is cut short after its first use does not end the process") {
  const auto copy = CopyOfLibrary("geckoprof-cut-");
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle != nullptr);
  const uint64_t function = AddressOf(dlsym(handle, "cbrt"));
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  Module* module = table.Find(function);
  REQUIRE(module != nullptr);
  const UnwindSections* sections = module->unwind_sections();
  REQUIRE(sections != nullptr);
  const uint64_t offset = sections->FindInTable(function - module->bias());
  REQUIRE(offset != UnwindSections::kNotFound);
  CHECK(sections->eh_frame().data[offset] != 0);  // its length
  dlclose(handle);
  std::filesystem::resize_file(copy, 0);
  uint64_t sum = 0;
  for (uint64_t svma = 0; svma < 0x100000; svma += 64) {
    const uint64_t other = sections->FindInTable(svma);
    if (other != UnwindSections::kNotFound) sum += sections->eh_frame().data[other];
  }
  CHECK(sum != 0);
  std::filesystem::remove(copy);
}

TEST_CASE("regions answer where a stack ends, and where code may be") {
  ModuleTable table;
  table.Refresh("1000-3000 rw-p 00000000 00:00 0\n3000-4000 r-xp 00000000 00:00 0\n8000-9000 r--p 00000000 00:00 0\n",
                0);
  CHECK(table.StackRegionEnd(0x1000) == 0x3000);
  CHECK(table.StackRegionEnd(0x2fff) == 0x3000);
  CHECK(table.StackRegionEnd(0x3000) == 0);
  CHECK(table.StackRegionEnd(0x5000) == 0);
  CHECK(table.StackRegionEnd(0x8000) == 0);
  REQUIRE(table.RegionAt(0x3fff) != nullptr);
  CHECK(table.RegionAt(0x3fff)->executable);
  CHECK(table.RegionAt(0xfff) == nullptr);
  CHECK(table.Find(0x3500) == nullptr);
  CHECK(table.MayBeCodeAt(0x3500));
  CHECK_FALSE(table.MayBeCodeAt(0x1000));
  CHECK_FALSE(table.MayBeCodeAt(0x8000));
  CHECK_FALSE(table.MayBeCodeAt(0x5000));
}

TEST_CASE("maps that lie about this process's memory give no modules") {
  ModuleTable table;
  const auto changes = table.Refresh(
      "1000-2000 r--p 00000000 08:01 5 /lib/x.so\n2000-3000 r-xp 00001000 08:01 5 /lib/x.so\n"
      "1800-2800 r-xp 00001000 08:01 5 /overlap\nnonsense\n",
      0);
  CHECK(changes.added.empty());
  CHECK(table.Find(0x2500) == nullptr);
  CHECK(table.RegionAt(0x2500) != nullptr);
}

namespace {

// An object that lies in one page of its file, as lld links small ones: each segment begins in that page, at
// consecutive pages of memory. Mapped as a loader does, with `before` pages of the bare file right below.
class OnePageObject {
 public:
  explicit OnePageObject(size_t before) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    std::vector<uint8_t> bytes(page);
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = kElfMachine;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 3;
    const Elf64_Phdr segments[] = {{PT_LOAD, PF_R, 0, 0, 0, 0x600, 0x600, page},
                                   {PT_LOAD, PF_R | PF_X, 0x680, page + 0x680, 0, 0x100, 0x100, page},
                                   {PT_LOAD, PF_R | PF_W, 0x820, 2 * page + 0x820, 0, 0x100, 0x200, page}};
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + header.e_phoff, segments, sizeof segments);
    path_ = (std::filesystem::temp_directory_path() / ("geckoprof-one-page-" + std::to_string(getpid()))).string();
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<char*>(bytes.data()), static_cast<long>(page));
    const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    size_bytes_ = (before + 3) * page;
    start_ = static_cast<uint8_t*>(mmap(nullptr, size_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    object_ = start_ + before * page;
    const int protections[] = {PROT_READ, PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE};
    for (size_t i = 0; i < before + 3; ++i) {
      const int protection = i < before ? PROT_READ : protections[i - before];
      REQUIRE(mmap(start_ + i * page, page, protection, MAP_PRIVATE | MAP_FIXED, fd, 0) == start_ + i * page);
    }
    close(fd);
    code_avma_ = AddressOf(object_) + page + 0x680;
  }
  ~OnePageObject() {
    munmap(start_, size_bytes_);
    std::filesystem::remove(path_);
  }
  uint64_t avma() const { return AddressOf(object_); }
  uint64_t code_avma() const { return code_avma_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  uint8_t* start_ = nullptr;
  uint8_t* object_ = nullptr;
  size_t size_bytes_ = 0;
  uint64_t code_avma_ = 0;
};

}  // namespace

TEST_CASE("an object whose segments all begin in the first page of its file begins with its first mapping") {
  for (const size_t before : {0u, 1u, 2u, 3u}) {
    CAPTURE(before);
    const OnePageObject object(before);
    ModuleTable table;
    table.Refresh(SelfMaps(), 0);
    Module* const module = table.Find(object.code_avma());
    REQUIRE(module != nullptr);
    CHECK(module->path() == object.path());
    CHECK(module->start_avma() == object.avma());
    CHECK(module->bias() == object.avma());
    REQUIRE(module->text_ranges().size() == 1);
    CHECK(module->text_ranges()[0].Contains(object.code_avma()));
    size_t of_file = 0;
    for (const auto& other : table.modules()) of_file += other->path() == object.path();
    CHECK(of_file == 1);
    const ModuleTable::Changes changes = table.Refresh(SelfMaps(), 1);
    CHECK(changes.added.empty());
    CHECK(changes.removed.empty());
    CHECK(table.Find(object.code_avma()) == module);
  }
}

TEST_CASE("a library keeps its identity when its code moves to anonymous memory at the same place") {
  const auto copy = CopyOfLibrary("moved");
  void* const handle = dlopen(copy.c_str(), RTLD_NOW);
  REQUIRE(handle != nullptr);
  const uint64_t code_avma = AddressOf(dlsym(handle, "cbrt"));
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  const ModuleTable::Region* const region = table.RegionAt(code_avma);
  REQUIRE((region != nullptr && region->executable && !region->anonymous));
  Module* const module = table.Find(code_avma);
  REQUIRE(module != nullptr);
  // If the code is in one segment with the file's header, nothing is left that shows whose code it was.
  if (module->start_avma() == region->start_avma) return;
  const size_t bytes = region->end_avma - region->start_avma;
  const auto place = reinterpret_cast<void*>(region->start_avma);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memcpy(memory, place, bytes);
  REQUIRE(mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0);
  REQUIRE(mremap(memory, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);

  const ModuleTable::Changes changes = table.Refresh(SelfMaps(), 1);
  CHECK(changes.removed.empty());
  CHECK(table.Find(code_avma) == module);
  CHECK(table.RegionAt(code_avma)->anonymous);
  REQUIRE_FALSE(module->text_ranges().empty());
  CHECK(module->text_ranges()[0].Contains(code_avma));
  // A table that never saw the file's code finds the library, too.
  ModuleTable late;
  late.Refresh(SelfMaps(), 1);
  REQUIRE(late.Find(code_avma) != nullptr);
  CHECK(late.Find(code_avma)->path() == copy.string());
  dlclose(handle);
  std::filesystem::remove(copy);
}

TEST_CASE("generated code next to a file that is only read makes no module of the file") {
  const auto copy = CopyOfLibrary("read");
  const int file = open(copy.c_str(), O_RDONLY | O_CLOEXEC);
  const auto file_bytes = std::filesystem::file_size(copy);
  const size_t whole = (file_bytes + 4095) / 4096 * 4096;
  auto* const room =
      static_cast<uint8_t*>(mmap(nullptr, whole + 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(room != MAP_FAILED);
  REQUIRE(mmap(room, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == room);
  ModuleTable table;
  table.Refresh(SelfMaps(), 0);
  CHECK(table.Find(AddressOf(room + whole)) == nullptr);
  CHECK(table.Find(AddressOf(room)) == nullptr);
  munmap(room, whole + 4096);
  close(file);
  std::filesystem::remove(copy);
}

TEST_CASE("files that unwinding opens are closed when that is asked for, each time") {
  const auto open_files = [] {
    const std::filesystem::directory_iterator descriptors("/proc/self/fd");
    return std::distance(begin(descriptors), end(descriptors));
  };
  ModuleTable table;
  table.Refresh(SelfMaps(), 1);
  table.CloseFiles();
  const auto before = open_files();
  Module* const libc = table.Find(AddressOf(reinterpret_cast<const void*>(&getpid)));
  REQUIRE(libc != nullptr);
  const UnwindSections* const sections = libc->unwind_sections();
  REQUIRE(sections != nullptr);
  CHECK(open_files() == before + 1);
  table.CloseFiles();
  CHECK(open_files() == before);
  // Another piece of the section needs the file once more.
  for (uint64_t avma = libc->start_avma(); avma < libc->end_avma() && open_files() == before; avma += 4096) {
    (void)sections->FindInTable(avma - libc->bias());
  }
  CHECK(open_files() == before + 1);
  table.CloseFiles();
  CHECK(open_files() == before);
}
