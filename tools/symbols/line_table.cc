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

// Real programs have some five instructions between two rows.
constexpr int kMostBetweenRows = 256;
constexpr int kRowsPerMark = 16;

// What cannot be is unknown.
uint32_t Narrow(uint64_t number) { return number < UINT32_MAX ? static_cast<uint32_t>(number) : 0; }

}  // namespace

LineProgram::Event LineProgram::Next() {
  for (int i = 0; i < kMostBetweenRows; ++i) {
    if (cursor_.AtEnd()) return cursor_.is_sound() ? Event::kProgramEnd : Event::kBroken;
    const Event event = Run(static_cast<unsigned>(cursor_.Fixed(1)));
    if (!cursor_.is_sound()) return Event::kBroken;
    if (event != Event::kOther) return event;
  }
  return Event::kBroken;
}

LineProgram::Event LineProgram::Run(unsigned opcode) {
  if (opcode >= header_->opcode_base()) return RunSpecial(opcode);
  return opcode == 0 ? RunExtended() : RunStandard(opcode);
}

LineProgram::Event LineProgram::RunStandard(unsigned opcode) {
  switch (opcode) {
    case DW_LNS_copy:
      return Event::kRow;
    case DW_LNS_advance_pc:
      Advance(cursor_.Uleb());
      break;
    case DW_LNS_advance_line:
      row_.line += static_cast<uint32_t>(cursor_.Sleb());
      break;
    case DW_LNS_set_file:
      row_.file = Narrow(cursor_.Uleb());
      break;
    case DW_LNS_set_column:
      row_.column = Narrow(cursor_.Uleb());
      break;
    case DW_LNS_const_add_pc:
      Advance((255 - header_->opcode_base()) / header_->line_range());
      break;
    case DW_LNS_fixed_advance_pc:
      row_.svma += cursor_.Fixed(2);
      row_.operation = 0;
      break;
    default:  // nothing that counts here, or unknown: the header says how many numbers to skip
      for (uint8_t i = 0; i < header_->operand_count(opcode); ++i) cursor_.Uleb();
  }
  return Event::kOther;
}

LineProgram::Event LineProgram::RunExtended() {
  const uint64_t count = cursor_.Uleb();
  if (!cursor_.is_sound() || count == 0 || count > header_->program().size() - cursor_.at()) return Event::kBroken;
  const uint64_t end = cursor_.at() + count;
  Event event = Event::kOther;
  switch (cursor_.Fixed(1)) {
    case DW_LNE_end_sequence:
      end_svma_ = row_.svma;
      row_ = {};
      event = Event::kSequenceEnd;
      break;
    case DW_LNE_set_address:
      if (count < 2 || count > 9) return Event::kBroken;
      row_.svma = cursor_.Fixed(static_cast<size_t>(count - 1));
      row_.operation = 0;
      break;
    case DW_LNE_define_file:
      if (files_ != nullptr) files_->AddFile(&cursor_);
      if (!cursor_.is_sound() || cursor_.at() > end) return Event::kBroken;
      break;
    default:
      break;
  }
  cursor_.Skip(end - cursor_.at());
  return event;
}

LineProgram::Event LineProgram::RunSpecial(unsigned opcode) {
  const unsigned step = opcode - header_->opcode_base();
  Advance(step / header_->line_range());
  row_.line += static_cast<uint32_t>(header_->line_base()) + step % header_->line_range();
  return Event::kRow;
}

void LineProgram::Advance(uint64_t operations) {
  const uint64_t per_instruction = header_->operations_per_instruction();
  const uint64_t sum = row_.operation + operations;
  row_.svma += header_->min_instruction_bytes() * (sum / per_instruction);
  row_.operation = static_cast<uint32_t>(sum % per_instruction);
}

LineTable::LineTable(const LineHeader::Source& source) : header_(source), is_sound_(header_.is_sound()) {
  is_sound_ = is_sound_ && header_.program().size() <= UINT32_MAX && MarkRows();
  if (!is_sound_) marks_.clear();
  if (!std::is_sorted(marks_.begin(), marks_.end(), IsBefore)) {
    std::stable_sort(marks_.begin(), marks_.end(), IsBefore);
  }
  marks_.shrink_to_fit();
}

bool LineTable::IsBefore(const Mark& a, const Mark& b) {
  if (a.row.svma != b.row.svma) return a.row.svma < b.row.svma;
  // Where one sequence ends and the next begins, the address is the next one's.
  return a.is_end && !b.is_end;
}

bool LineTable::MarkRows() {
  LineProgram program(&header_);
  int unmarked = 0;
  uint64_t last_svma = 0;
  for (;;) {
    switch (program.Next()) {
      case LineProgram::Event::kRow: {
        const Row& row = program.row();
        const bool is_first = marks_.size() == sequence_start_;
        if (is_first || ++unmarked == kRowsPerMark || row.svma < last_svma) {
          marks_.push_back({row, static_cast<uint32_t>(program.at()), false});
          unmarked = 0;
        }
        last_svma = row.svma;
        break;
      }
      case LineProgram::Event::kSequenceEnd:
        EndSequence(program.end_svma());
        break;
      case LineProgram::Event::kProgramEnd:
        EndSequence(program.row().svma);
        return true;
      case LineProgram::Event::kOther:
      case LineProgram::Event::kBroken:
        return false;
    }
  }
}

void LineTable::EndSequence(uint64_t svma) {
  // Rows at the end have no bytes, and must not come to stand behind it.
  while (marks_.size() > sequence_start_ && marks_.back().row.svma >= svma) marks_.pop_back();
  if (marks_.size() > sequence_start_ && marks_[sequence_start_].row.svma == 0) marks_.resize(sequence_start_);
  if (marks_.size() > sequence_start_) marks_.push_back({{.svma = svma}, 0, true});
  sequence_start_ = marks_.size();
}

std::optional<LineTable::Row> LineTable::Find(uint64_t svma) const {
  const auto after = std::upper_bound(marks_.begin(), marks_.end(), svma,
                                      [](uint64_t value, const Mark& mark) { return value < mark.row.svma; });
  if (after == marks_.begin() || (after - 1)->is_end) return std::nullopt;
  Row found = (after - 1)->row;
  LineProgram program(&header_, (after - 1)->at, found);
  for (int i = 1; i < kRowsPerMark && program.Next() == LineProgram::Event::kRow; ++i) {
    const Row& row = program.row();
    if (row.svma > svma || row.svma < found.svma) break;  // a row behind, or one that has a mark of its own
    found = row;
  }
  return found;
}

}  // namespace geckoprof
