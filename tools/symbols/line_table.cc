#include "tools/symbols/line_table.h"

#include <dwarf.h>

#include <algorithm>

namespace geckoprof {
namespace {

// The system opens no longer path.
constexpr size_t kMaxPathBytes = 4096;

}  // namespace

LineHeader::LineHeader(const Source& source) : source_(source) {
  ByteCursor length(source.lines, source.offset);
  uint64_t size_bytes = length.Fixed(4);
  if (size_bytes == 0xffffffff) {
    offset_bytes_ = 8;
    size_bytes = length.Fixed(8);
  }
  if (!length.is_sound() || size_bytes > source.lines.size() - length.at()) return;
  const uint64_t end = length.at() + size_bytes;
  size_bytes_ = end - source.offset;
  unit_ = source.lines.first(static_cast<size_t>(end));

  ByteCursor cursor(unit_, length.at());
  version_ = static_cast<int>(cursor.Fixed(2));
  if (version_ < 2 || version_ > 5) return;
  if (version_ >= 5) cursor.Skip(2);  // bytes of an address and of a segment's number
  const uint64_t header_bytes = cursor.Fixed(offset_bytes_);
  if (!cursor.is_sound() || header_bytes > end - cursor.at()) return;
  program_ = unit_.subspan(static_cast<size_t>(cursor.at() + header_bytes));
  ReadRules(&cursor);
  if (!cursor.is_sound() || line_range_ == 0 || opcode_base_ == 0) return;
  if (version_ >= 5) {
    ReadTable(&cursor, &directories_);
    ReadTable(&cursor, &files_);
  } else {
    ReadOldTables(&cursor);
  }
  is_sound_ = cursor.is_sound();
}

void LineHeader::ReadRules(ByteCursor* cursor) {
  min_instruction_bytes_ = cursor->Fixed(1);
  if (version_ >= 4) operations_per_instruction_ = std::max<uint64_t>(cursor->Fixed(1), 1);
  cursor->Skip(1);                                     // whether a row begins a statement, if nothing else is said
  line_base_ = static_cast<int8_t>(cursor->Fixed(1));  // NOLINT(bugprone-signed-char-misuse): its sign counts
  line_range_ = static_cast<unsigned>(cursor->Fixed(1));
  opcode_base_ = static_cast<unsigned>(cursor->Fixed(1));
  const uint64_t at = cursor->at(), count = std::max(opcode_base_, 1u) - 1;
  cursor->Skip(count);
  if (cursor->is_sound()) operand_counts_ = unit_.subspan(static_cast<size_t>(at), static_cast<size_t>(count));
}

// Reads names up to an empty one. Directory 0 is the one compiled in, and file 0 is none.
void LineHeader::ReadOldTables(ByteCursor* cursor) {
  directories_.emplace_back();
  files_.emplace_back();
  const auto at_end = [&] { return cursor->AtEnd() || unit_[static_cast<size_t>(cursor->at())] == 0; };
  while (!at_end()) {
    directories_.push_back({{unit_, cursor->at()}, 0});
    cursor->Text();
  }
  cursor->Skip(1);
  while (!at_end()) AddFile(cursor);
  cursor->Skip(1);
}

void LineHeader::AddFile(ByteCursor* cursor) {
  const std::string_view name = cursor->Text();
  const uint64_t directory = cursor->Uleb();
  cursor->Uleb();  // when it was changed
  cursor->Uleb();  // its size
  if (!cursor->is_sound()) return;
  files_.push_back(
      {{unit_, static_cast<uint64_t>(reinterpret_cast<const uint8_t*>(name.data()) - unit_.data())}, directory});
}

// Reads a list of DWARF 5. It has the form of an entry, the number of entries, and the entries.
void LineHeader::ReadTable(ByteCursor* cursor, std::vector<File>* table) {
  std::vector<Format> formats(static_cast<size_t>(cursor->Fixed(1)));
  for (Format& format : formats) format = {cursor->Uleb(), cursor->Uleb()};
  const uint64_t count = cursor->Uleb();
  if (!cursor->is_sound()) return;
  // Each field has a byte or more.
  bool is_sound = count <= (unit_.size() - cursor->at()) / std::max<size_t>(formats.size(), 1);
  if (formats.empty() && count != 0) is_sound = false;
  for (uint64_t i = 0; i < count && is_sound; ++i) {
    File& file = table->emplace_back();
    for (const Format& format : formats) is_sound = is_sound && ReadField(cursor, format, &file);
    is_sound = is_sound && cursor->is_sound();
  }
  if (!is_sound) cursor->Skip(UINT64_MAX);
}

bool LineHeader::ReadField(ByteCursor* cursor, const Format& format, File* file) const {
  Text text;
  uint64_t number = 0;
  switch (format.form) {
    case DW_FORM_string:
      text = {unit_, cursor->at()};
      cursor->Text();
      break;
    case DW_FORM_line_strp:
      text = {source_.line_strings, cursor->Fixed(offset_bytes_)};
      break;
    case DW_FORM_strp:
      text = {source_.strings, cursor->Fixed(offset_bytes_)};
      break;
    case DW_FORM_strp_sup:
      cursor->Skip(offset_bytes_);
      break;
    case DW_FORM_strx:
    case DW_FORM_udata:
      number = cursor->Uleb();
      break;
    case DW_FORM_strx3:
      number = cursor->Fixed(3);
      break;
    case DW_FORM_data1:
    case DW_FORM_strx1:
      number = cursor->Fixed(1);
      break;
    case DW_FORM_data2:
    case DW_FORM_strx2:
      number = cursor->Fixed(2);
      break;
    case DW_FORM_data4:
    case DW_FORM_strx4:
      number = cursor->Fixed(4);
      break;
    case DW_FORM_data8:
      number = cursor->Fixed(8);
      break;
    case DW_FORM_data16:  // MD5
      cursor->Skip(16);
      break;
    case DW_FORM_block:
      cursor->Skip(cursor->Uleb());
      break;
    default:
      return false;
  }
  if (format.content == DW_LNCT_directory_index) file->directory = number;
  if (format.content == DW_LNCT_path) file->name = text.section.empty() ? IndexedText(format.form, number) : text;
  return true;
}

LineHeader::Text LineHeader::IndexedText(uint64_t form, uint64_t index) const {
  const bool is_index = form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4);
  if (!is_index || index > source_.string_offsets.size()) return {};
  ByteCursor cursor(source_.string_offsets, source_.string_offsets_base + index * offset_bytes_);
  const uint64_t at = cursor.Fixed(offset_bytes_);
  return cursor.is_sound() ? Text{source_.strings, at} : Text{};
}

std::string_view LineHeader::TextOf(const Text& text) {
  if (text.at >= text.section.size()) return {};
  const auto rest = text.section.subspan(static_cast<size_t>(text.at));
  return ByteCursor(rest.first(std::min(rest.size(), kMaxPathBytes)), 0).Text();
}

std::string LineHeader::FileName(uint64_t number, std::string_view comp_dir) const {
  if (number >= files_.size()) return {};
  const File& file = files_[static_cast<size_t>(number)];
  std::string path(TextOf(file.name));
  if (path.empty()) return path;
  const auto directory = [this](uint64_t at) {
    return at < directories_.size() ? TextOf(directories_[static_cast<size_t>(at)].name) : std::string_view();
  };
  const auto put_below = [&path](std::string_view folder) {
    if (path.front() != '/' && !folder.empty()) path.insert(0, 1, '/').insert(0, folder);
  };
  // Directory 0 is the one that the unit was compiled in, and a directory that is relative is below it.
  const std::string_view own = version_ < 5 ? comp_dir : directory(0);
  if (file.directory != 0) {
    if (file.directory >= directories_.size()) return path;
    put_below(directory(file.directory));
  }
  put_below(own);
  if (own != comp_dir) put_below(comp_dir);
  return path;
}

namespace {

// What cannot be is unknown.
uint32_t Narrow(uint64_t number) { return number < UINT32_MAX ? static_cast<uint32_t>(number) : 0; }

bool IsBefore(const LineTable::Row& a, const LineTable::Row& b) {
  if (a.svma != b.svma) return a.svma < b.svma;
  // Where one sequence ends and the next begins, the address is the next one's.
  return a.file == LineTable::kEnd && b.file != LineTable::kEnd;
}

}  // namespace

LineTable::LineTable(const LineHeader::Source& source) : header_(source), is_sound_(header_.is_sound()) {
  if (!is_sound_) return;
  Run();
  if (!is_sound_) rows_.clear();
  if (!std::is_sorted(rows_.begin(), rows_.end(), IsBefore)) std::stable_sort(rows_.begin(), rows_.end(), IsBefore);
  rows_.shrink_to_fit();
}

const LineTable::Row* LineTable::Find(uint64_t svma) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), svma,
                                      [](uint64_t value, const Row& row) { return value < row.svma; });
  if (after == rows_.begin() || (after - 1)->file == kEnd) return nullptr;
  return &*(after - 1);
}

void LineTable::Run() {
  ByteCursor cursor(header_.program(), 0);
  while (is_sound_ && !cursor.AtEnd()) {
    const auto opcode = static_cast<unsigned>(cursor.Fixed(1));
    if (opcode >= header_.opcode_base()) {
      RunSpecial(opcode);
    } else if (opcode == 0) {
      is_sound_ = RunExtended(&cursor);
    } else {
      RunStandard(opcode, &cursor);
    }
    is_sound_ = is_sound_ && cursor.is_sound();
  }
  if (rows_.size() > sequence_start_) EndSequence();
}

void LineTable::RunStandard(unsigned opcode, ByteCursor* cursor) {
  switch (opcode) {
    case DW_LNS_copy:
      return AddRow();
    case DW_LNS_advance_pc:
      return Advance(cursor->Uleb());
    case DW_LNS_advance_line:
      state_.line += static_cast<uint64_t>(cursor->Sleb());
      return;
    case DW_LNS_set_file:
      state_.file = cursor->Uleb();
      return;
    case DW_LNS_set_column:
      state_.column = cursor->Uleb();
      return;
    case DW_LNS_const_add_pc:
      return Advance((255 - header_.opcode_base()) / header_.line_range());
    case DW_LNS_fixed_advance_pc:
      state_.svma += cursor->Fixed(2);
      state_.operation = 0;
      return;
    default:  // nothing that counts here, or unknown: the header says how many numbers to skip
      for (uint8_t i = 0; i < header_.operand_count(opcode); ++i) cursor->Uleb();
  }
}

bool LineTable::RunExtended(ByteCursor* cursor) {
  const uint64_t count = cursor->Uleb();
  if (!cursor->is_sound() || count == 0 || count > header_.program().size() - cursor->at()) return false;
  const uint64_t end = cursor->at() + count;
  switch (cursor->Fixed(1)) {
    case DW_LNE_end_sequence:
      EndSequence();
      break;
    case DW_LNE_set_address:
      if (count < 2 || count > 9) return false;
      state_.svma = cursor->Fixed(static_cast<size_t>(count - 1));
      state_.operation = 0;
      break;
    case DW_LNE_define_file:
      header_.AddFile(cursor);
      break;
    default:
      break;
  }
  if (!cursor->is_sound() || cursor->at() > end) return false;
  cursor->Skip(end - cursor->at());
  return true;
}

void LineTable::RunSpecial(unsigned opcode) {
  const unsigned step = opcode - header_.opcode_base();
  Advance(step / header_.line_range());
  state_.line += static_cast<uint64_t>(int64_t{header_.line_base()} + step % header_.line_range());
  AddRow();
}

void LineTable::Advance(uint64_t operations) {
  const uint64_t per_instruction = header_.operations_per_instruction();
  const uint64_t sum = state_.operation + operations;
  state_.svma += header_.min_instruction_bytes() * (sum / per_instruction);
  state_.operation = sum % per_instruction;
}

void LineTable::AddRow() {
  rows_.push_back({state_.svma, Narrow(state_.file), Narrow(state_.line), Narrow(state_.column)});
}

void LineTable::EndSequence() {
  // Rows at the end have no bytes, and must not come to stand behind it.
  while (rows_.size() > sequence_start_ && rows_.back().svma >= state_.svma) rows_.pop_back();
  if (rows_.size() > sequence_start_ && rows_[sequence_start_].svma == 0) rows_.resize(sequence_start_);
  if (rows_.size() > sequence_start_) rows_.push_back({state_.svma, kEnd, 0, 0});
  sequence_start_ = rows_.size();
  state_ = {};
}

}  // namespace geckoprof
