#include "tools/symbols/line_table.h"

#include <dwarf.h>

#include <algorithm>

namespace geckoprof {
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
