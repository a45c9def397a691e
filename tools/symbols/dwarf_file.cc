#include "tools/symbols/dwarf_file.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tools/symbols/byte_cursor.h"
#include "tools/symbols/die_ranges.h"
#include "tools/symbols/elf_image.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// The largest programs have some tens of thousands.
constexpr size_t kMaxUnits = 1 << 22;

// An ELF file with an empty .debug_str: stands where a dwz file is missing, since libdw would look for one by itself
// and take any.
std::vector<char> FileWithoutNames() {
  constexpr char kNames[] = "\0.debug_str\0.shstrtab";
  struct {
    Elf64_Ehdr header = {};
    Elf64_Shdr sections[3] = {};
    char names[sizeof(kNames) + 1] = {};
  } file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_ident[EI_VERSION] = EV_CURRENT;
  file.header.e_type = ET_DYN;
  file.header.e_version = EV_CURRENT;
  file.header.e_ehsize = sizeof(Elf64_Ehdr);
  file.header.e_shentsize = sizeof(Elf64_Shdr);
  file.header.e_shnum = 3;
  file.header.e_shstrndx = 2;
  file.header.e_shoff = offsetof(decltype(file), sections);
  std::memcpy(file.names, kNames, sizeof(kNames));
  for (int i = 1; i < 3; ++i) {
    file.sections[i].sh_type = i == 1 ? SHT_PROGBITS : SHT_STRTAB;
    file.sections[i].sh_name = i == 1 ? 1 : 12;
    file.sections[i].sh_offset = offsetof(decltype(file), names);
    file.sections[i].sh_size = i == 1 ? 1 : sizeof(kNames);
    file.sections[i].sh_addralign = 1;
  }
  const auto* bytes = reinterpret_cast<const char*>(&file);
  return std::vector<char>(bytes, bytes + sizeof(file));
}

std::optional<uint64_t> NumberOf(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word number = 0;
  if (dwarf_attr(die, attribute, &found) == nullptr || dwarf_formudata(&found, &number) != 0) return std::nullopt;
  return number;
}

// As operator new; libdw's own answer to memory that runs out ends the process without another word. What it allocated
// belongs to the Dwarf.
__attribute__((noreturn)) void FailAsNew() {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

Dwarf* BeginDwarf(const ElfImage& image) {
  Dwarf* const dwarf = dwarf_begin_elf(image.elf(), DWARF_C_READ, nullptr);
  if (dwarf != nullptr) dwarf_new_oom_handler(dwarf, &FailAsNew);
  return dwarf;
}

// Sections are inflated as they are read, which may take more memory than there is: neither library tells.
absl::Status Unreadable(const ElfImage& image) {
  const auto is_limited = [](auto resource) {
    rlimit limit = {};
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  };
  const bool may_be_memory = is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA);
  return absl::DataLossError(Concat(image.path(), ": debug information cannot be read",
                                    may_be_memory ? " (not enough memory? There is a ulimit -v or -d)" : ""));
}

}  // namespace

absl::StatusOr<std::unique_ptr<DwarfFile>> DwarfFile::Open(std::unique_ptr<ElfImage> image,
                                                           const std::string& object_path, DebugFileFinder* finder) {
  if (image->HasOversizedSection()) {
    return absl::DataLossError(Concat(image->path(), ": a section claims to unpack to far too many bytes"));
  }
  std::unique_ptr<DwarfFile> file(new DwarfFile(WithUnpackedSections(std::move(image)), object_path, finder));
  file->dwarf_ = BeginDwarf(*file->image_);
  if (file->dwarf_ == nullptr) return Unreadable(*file->image_);
  file->FindAlternate();
  file->texts_.AddSections(*file->image_);
  if (file->alternate_image_ != nullptr) file->texts_.AddSections(*file->alternate_image_);
  file->info_ = file->image_->SectionBytes(".debug_info");
  file->abbrevs_ = file->image_->SectionBytes(".debug_abbrev");
  file->ranges_ = file->image_->SectionBytes(".debug_ranges");
  file->rnglists_ = file->image_->SectionBytes(".debug_rnglists");
  file->addresses_ = file->image_->SectionBytes(".debug_addr");
  file->lines_.lines = file->image_->SectionBytes(".debug_line");
  file->lines_.line_strings = file->image_->SectionBytes(".debug_line_str");
  file->lines_.strings = file->image_->SectionBytes(".debug_str");
  file->lines_.string_offsets = file->image_->SectionBytes(".debug_str_offsets");
  file->ListUnits();
  if (file->units_.empty()) return Unreadable(*file->image_);
  return file;
}

DwarfFile::DwarfFile(std::unique_ptr<ElfImage> image, std::string object_path, DebugFileFinder* finder)
    : image_(std::move(image)), object_path_(std::move(object_path)), finder_(finder) {}

DwarfFile::~DwarfFile() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
  if (alternate_ != nullptr) dwarf_end(alternate_);
}

void DwarfFile::FindAlternate() {
  const char* name = nullptr;
  const void* build_id = nullptr;
  const ssize_t build_id_bytes = dwelf_dwarf_gnu_debugaltlink(dwarf_, &name, &build_id);
  if (build_id_bytes <= 0) return;
  alternate_image_ = finder_->FindAlternate(*image_, name != nullptr ? name : "",
                                            {static_cast<const char*>(build_id), static_cast<size_t>(build_id_bytes)});
  if (alternate_image_ != nullptr) {
    alternate_image_ = WithUnpackedSections(std::move(alternate_image_));
    alternate_ = BeginDwarf(*alternate_image_);
  }
  lacks_alternate_ = alternate_ == nullptr;
  if (alternate_ == nullptr) {
    absl::StatusOr<std::unique_ptr<ElfImage>> none = ElfImage::FromBytes(FileWithoutNames());
    if (!none.ok()) return;
    alternate_image_ = *std::move(none);
    alternate_ = BeginDwarf(*alternate_image_);
  }
  if (alternate_ != nullptr) dwarf_setalt(dwarf_, alternate_);
}

void DwarfFile::ListUnits() {
  Dwarf_Off offset = 0, next = 0;
  while (units_.size() < kMaxUnits) {
    size_t header_bytes = 0;
    Dwarf_Half version = 0;
    Dwarf_Off abbrev_offset = 0;
    uint8_t address_bytes = 0, offset_bytes = 0;
    if (dwarf_next_unit(dwarf_, offset, &next, &header_bytes, &version, &abbrev_offset, &address_bytes, &offset_bytes,
                        nullptr, nullptr) != 0 ||
        next <= offset) {
      break;
    }
    Unit& unit = units_.emplace_back();
    unit.start_offset = offset;
    unit.die_offset = offset + header_bytes;
    unit.end_offset = std::min<uint64_t>(next, info_.size());
    unit.abbrev_offset = abbrev_offset;
    unit.version = version;
    unit.address_bytes = address_bytes;
    unit.offset_bytes = offset_bytes;
    offset = next;
  }
  // Of functions that several units have the linker keeps the first: that one's ranges come last.
  for (size_t number = units_.size(); number > 0; --number) AddUnitRanges(static_cast<uint32_t>(number - 1));
  unit_at_.Build();
}

RangeListReader::Unit DwarfFile::RangesOf(const Unit& unit, Dwarf_Die* die) const {
  RangeListReader::Unit ranges;
  ranges.version = unit.version;
  ranges.address_bytes = unit.address_bytes;
  ranges.offset_bytes = unit.offset_bytes;
  ranges.ranges = ranges_;
  ranges.rnglists = rnglists_;
  ranges.addresses = addresses_;
  Dwarf_Addr low = 0;
  if (dwarf_lowpc(die, &low) == 0) ranges.base_svma = low;
  ranges.addresses_base = NumberOf(die, DW_AT_addr_base).value_or(NumberOf(die, DW_AT_GNU_addr_base).value_or(0));
  ranges.rnglists_base = NumberOf(die, DW_AT_rnglists_base).value_or(0);
  return ranges;
}

void DwarfFile::AddUnitRanges(uint32_t number) {
  const Unit& unit = units_[number];
  Dwarf_Die die;
  if (dwarf_offdie(dwarf_, unit.die_offset, &die) == nullptr) return NoteBroken(number);
  const int tag = dwarf_tag(&die);
  if (tag == DW_TAG_invalid) return NoteBroken(number);
  if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit) return;
  DieScanner scanner(ScanOf(unit));
  DieScanner::Die own;
  RangeListReader::Ranges ranges;
  if (!scanner.Next(&own) || !AppendDieRanges(scanner, RangeListReader(RangesOf(unit, &die)), own, &ranges)) {
    NoteBroken(number);
  } else if (own[DieScanner::kRanges].form == 0 && ranges.empty() && dwarf_haschildren(&die) == 1) {
    unranged_.push_back(number);
  }
  for (const auto& [start, end] : ranges) {
    if (start != 0) unit_at_.Add(start, end, number);
  }
}

void DwarfFile::NoteBroken(uint32_t number) {
  if (!std::exchange(units_[number].is_broken, true)) ++broken_units_;
}

DieScanner::Unit DwarfFile::ScanOf(const Unit& unit) {
  return {info_.first(static_cast<size_t>(unit.end_offset)),
          abbrevs_,
          unit.abbrev_offset,
          unit.die_offset,
          unit.version,
          unit.address_bytes,
          unit.offset_bytes,
          &abbrev_cache_};
}

std::optional<uint64_t> DwarfFile::DwoIdOf(const Unit& unit, Dwarf_Die* die) const {
  if (unit.version < 5) return NumberOf(die, DW_AT_GNU_dwo_id);
  const size_t length_bytes = unit.offset_bytes == 8 ? 12 : 4;
  ByteCursor cursor(info_, unit.start_offset + length_bytes + 2);
  const uint64_t type = cursor.Fixed(1);
  cursor.Skip(1 + unit.offset_bytes);
  const uint64_t id = cursor.Fixed(8);
  if (type != DW_UT_skeleton || !cursor.is_sound()) return std::nullopt;
  return id;
}

const SplitFile* DwarfFile::OpenSplit(const std::string& path) {
  const auto [entry, is_new] = split_files_.try_emplace(path);
  if (is_new) {
    finder_->NoteAsked(path);
    absl::StatusOr<std::unique_ptr<SplitFile>> file = SplitFile::Open(path);
    if (file.ok()) entry->second = *std::move(file);
  }
  return entry->second.get();
}

std::optional<SplitUnit> DwarfFile::FindSplit(uint64_t dwo_id, Dwarf_Die* die) {
  std::vector<std::string> candidates = {object_path_ + ".dwp", image_->path() + ".dwp"};
  const std::string base = object_path_.substr(object_path_.rfind('/') + 1);
  for (std::string& path : finder_->SplitCandidates(base + ".dwp", "", object_path_)) {
    candidates.push_back(std::move(path));
  }
  std::string name(texts_.TextOf(die, DW_AT_dwo_name));
  if (name.empty()) name = texts_.TextOf(die, DW_AT_GNU_dwo_name);
  if (!name.empty()) {
    const std::string comp_dir(texts_.TextOf(die, DW_AT_comp_dir));
    for (std::string& path : finder_->SplitCandidates(name, comp_dir, object_path_)) {
      candidates.push_back(std::move(path));
    }
  }
  for (const std::string& path : candidates) {
    const SplitFile* file = OpenSplit(path);
    if (file == nullptr) continue;
    if (std::optional<SplitUnit> unit = file->Find(dwo_id)) return unit;
  }
  return std::nullopt;
}

std::shared_ptr<const LineTable> DwarfFile::LinesOf(Dwarf_Die* die) {
  const std::optional<uint64_t> offset = NumberOf(die, DW_AT_stmt_list);
  if (!offset.has_value()) return nullptr;
  const auto [entry, is_new] = line_tables_.try_emplace(*offset);
  if (!is_new) return entry->second;
  // Tables do not lie in one another: together they are no longer than the section.
  if (line_bytes_ >= lines_.lines.size()) return nullptr;
  LineHeader::Source source = lines_;
  source.offset = *offset;
  source.string_offsets_base = NumberOf(die, DW_AT_str_offsets_base).value_or(0);
  auto table = std::make_shared<const LineTable>(source);
  line_bytes_ += table->size_bytes();
  if (table->is_sound()) entry->second = std::move(table);
  return entry->second;
}

DwarfUnit* DwarfFile::IndexOf(uint32_t number) {
  Unit& unit = units_[number];
  if (unit.is_read) return unit.index.get();
  unit.is_read = true;
  DwarfUnit::Source source;
  Dwarf_Die die;
  if (dwarf_offdie(dwarf_, unit.die_offset, &die) == nullptr || unit.end_offset < unit.die_offset) {
    NoteBroken(number);
    return nullptr;
  }
  source.dwarf = dwarf_;
  source.texts = &texts_;
  source.lines = LinesOf(&die);
  source.comp_dir = texts_.TextOf(&die, DW_AT_comp_dir);
  source.ranges = RangesOf(unit, &die);
  source.scan = ScanOf(unit);
  if (const std::optional<uint64_t> id = DwoIdOf(unit, &die)) {
    source.split = FindSplit(*id, &die);
    if (source.split.has_value()) {
      source.scan = source.split->scan;
      source.ranges.ranges_base = NumberOf(&die, DW_AT_GNU_ranges_base).value_or(0);
      source.ranges.rnglists = source.split->rnglists;
      source.ranges.rnglists_base = unit.offset_bytes == 8 ? 20 : 12;
    } else {
      ++missing_split_units_;
    }
  }
  unit.index = std::make_unique<DwarfUnit>(source);
  if (!unit.index->is_sound()) NoteBroken(number);
  return unit.index.get();
}

void DwarfFile::ReadUnrangedUnits() {
  unranged_read_ = true;
  for (const uint32_t number : unranged_) {
    const DwarfUnit* index = IndexOf(number);
    if (index == nullptr || !index->is_sound()) continue;
    for (const auto& [start, end] : index->function_ranges()) unranged_at_.Add(start, end, number);
  }
  unranged_at_.Build();
}

bool DwarfFile::Append(uint64_t svma, std::vector<SourceFrame>* frames) {
  uint32_t number = unit_at_.Find(svma);
  if (number == AddressMap::kNone && !unranged_.empty()) {
    if (!unranged_read_) ReadUnrangedUnits();
    number = unranged_at_.Find(svma);
  }
  if (number == AddressMap::kNone) return false;
  DwarfUnit* index = IndexOf(number);
  return index != nullptr && index->Append(svma, frames);
}

std::vector<std::string> DwarfFile::SourceFiles() {
  absl::flat_hash_set<std::string> files;
  for (uint32_t number = 0; number < units_.size(); ++number) {
    Dwarf_Die die;
    if (dwarf_offdie(dwarf_, units_[number].die_offset, &die) == nullptr) continue;
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit) continue;
    if (const DwarfUnit* index = IndexOf(number)) index->AddFiles(&files);
  }
  std::vector<std::string> sorted(files.begin(), files.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace geckoprof
