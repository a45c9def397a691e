#include "libraries/library_table.h"

#include <string.h>

namespace geckoprof {
namespace {

struct Extent {
  uintptr_t begin = UINTPTR_MAX, end = 0;
};

Extent ExtentOf(const dl_phdr_info& info) {
  Extent extent;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info.dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (begin < extent.begin) extent.begin = begin;
    if (end > extent.end) extent.end = end;
  }
  return extent;
}

// Reads what the dynamic section says of the library.
void ReadDynamic(const dl_phdr_info& info, LibraryTable::Row* row) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    const auto* const end = entry + info.dlpi_phdr[i].p_memsz / sizeof(*entry);
    uint64_t relocation_bytes = 0;
    for (; entry < end && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_RPATH) row->has_rpath = true;
      if (entry->d_tag == DT_RUNPATH) row->has_runpath = true;
      if (entry->d_tag == DT_RELASZ || entry->d_tag == DT_PLTRELSZ) relocation_bytes += entry->d_un.d_val;
    }
    if (row->has_runpath) row->has_rpath = false;  // the loader does the same
    row->relocations = relocation_bytes / sizeof(ElfW(Rela));
  }
}

void CopyPath(std::string_view path, LibraryTable::Row* row) {
  if (path.size() > sizeof(row->path)) path.remove_prefix(path.size() - sizeof(row->path));
  if (!path.empty()) memcpy(row->path, path.data(), path.size());
  row->path_bytes = static_cast<uint16_t>(path.size());
}

}  // namespace

void LibraryTable::Free(Row& row) {
  gone_(row, gone_start_, gone_end_);
  if (row.has_rpath && !row.is_program) --rpaths_;
  row = Row();
}

int LibraryTable::RowFor(const dl_phdr_info& info, uintptr_t begin, uintptr_t end) {
  const std::string_view path = info.dlpi_name != nullptr ? info.dlpi_name : "";
  int free = kNone;
  for (int i = 0; i < size_; ++i) {
    Row& row = rows_[i];
    if (row.begin == begin && row.end == end && path.ends_with(row.Path())) return i;
    // Another library was there. It was unloaded where no hook saw it.
    if (row.begin < end && begin < row.end) Free(row);
    if (row.end == 0 && free == kNone) free = i;
  }
  if (free == kNone) {
    if (size_ == static_cast<int>(kMostLibraries)) return kNone;
    free = size_++;
  }
  Row& row = rows_[free];
  row.begin = begin;
  row.end = end;
  row.serial = ++last_serial_;
  CopyPath(path, &row);
  ReadDynamic(info, &row);
  return free;
}

int LibraryTable::Visit(dl_phdr_info* info, size_t, void* context) {
  auto* const table = static_cast<LibraryTable*>(context);
  const Extent extent = ExtentOf(*info);
  const bool is_program = table->loads_ == 0;  // the program is the first
  table->loads_ = info->dlpi_adds;
  table->unloads_ = info->dlpi_subs;
  if (extent.end == 0) return 0;
  const int number = table->RowFor(*info, extent.begin, extent.end);
  if (number == kNone) {
    ++table->left_out_;
    return 0;
  }
  Row& row = table->rows_[number];
  if (row.walk == 0) {
    row.is_program = is_program;
    if (row.has_rpath && !is_program) ++table->rpaths_;
  }
  row.walk = table->walk_;
  return 0;
}

void LibraryTable::Update(geckoprof_time start, geckoprof_time end) {
  gone_start_ = start;
  gone_end_ = end;
  if (++walk_ == 0) walk_ = 1;
  left_out_ = 0;
  loads_ = 0;
  dl_iterate_phdr(&Visit, this);
  for (int i = 0; i < size_; ++i) {
    if (rows_[i].end != 0 && rows_[i].walk != walk_) Free(rows_[i]);
  }
}

bool LibraryTable::IsOutOfDate() const {
  struct Counts {
    uint64_t loads, unloads;
  } counts = {};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* context) {
        *static_cast<Counts*>(context) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counts);
  return counts.loads != loads_ || counts.unloads != unloads_;
}

int LibraryTable::Find(uintptr_t address) const {
  for (int i = 0; i < size_; ++i) {
    if (address >= rows_[i].begin && address < rows_[i].end) return i;
  }
  return kNone;
}

}  // namespace geckoprof
