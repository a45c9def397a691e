#include "tools/report/report_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "tools/report/cell_text.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Tone = ReportTable::Tone;

constexpr size_t kMaxTextColumn = 40;  // of a text that others stand behind
constexpr size_t kNameWidth = 80, kLeastNameWidth = 24;

std::string Signed(double number, const std::string& size) { return Concat(number < 0 ? "-" : "+", size); }

std::string NumberText(double number, Kind kind) {
  switch (kind) {
    case Kind::kCount:
      return GroupedText(number);
    case Kind::kShare:
      return PercentText(number, 1);
    case Kind::kMs:
      return DurationText(number);
    case Kind::kTimeMs:
      return Concat(FixedText(number, 1), " ms");
    case Kind::kBytes:
      return number < 0 ? Concat("-", BytesText(-number)) : BytesText(number);
    case Kind::kChangedShare: {
      const std::string size = FixedText(std::abs(number) * 100, 1);
      return Concat(number < 0 && size != "0.0" ? "-" : "+", size, " %");
    }
    case Kind::kChangedMs:
      return number == 0 ? "0" : Signed(number, DurationText(std::abs(number)));
    case Kind::kChangedCount:
      return number == 0 ? "0" : Signed(number, GroupedText(std::abs(number)));
    case Kind::kProbability:
      return number < 0.001 ? "<0.001" : FixedText(number, 3);
    case Kind::kText:
    case Kind::kFunction:
    case Kind::kLibrary:
    case Kind::kTree:
    case Kind::kStack:
      break;
  }
  return "";
}

bool IsText(Kind kind) {
  return kind == Kind::kText || kind == Kind::kFunction || kind == Kind::kLibrary || kind == Kind::kTree;
}

std::string Indentation(size_t levels) {
  constexpr size_t kMaxLevels = 20, kBlanks = 2;
  return std::string(kBlanks * std::min(levels, kMaxLevels), ' ');
}

}  // namespace

std::string CellText(const ReportTable::Cell& cell, ReportTable::Kind kind) {
  if (!cell.is_known) return "-";
  if (kind == Kind::kTree) return Indentation(static_cast<size_t>(cell.number)) + CleanText(cell.text);
  return IsText(kind) ? CleanText(cell.text) : NumberText(cell.number, kind);
}

namespace {

std::string Shortened(const std::string& name, size_t room, const TerminalStyle& style) {
  if (style.full_names) return name;
  if (style.width == 0) return ShortFunctionName(name, kNameWidth);
  room = std::max(room, kLeastNameWidth);
  return CutText(ShortFunctionName(name, room), room);
}

std::string Colored(std::string text, Tone tone, const TerminalStyle& style) {
  if (!style.color || tone == Tone::kPlain) return text;
  return Concat(tone == Tone::kGood ? "\x1b[32m" : "\x1b[31m", text, "\x1b[0m");
}

std::vector<size_t> Widths(const ReportTable& table) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    size_t width = DisplayWidth(table.columns[i].label);
    for (const ReportTable::Row& row : table.rows) {
      width = std::max(width, DisplayWidth(CellText(row[i], table.columns[i].kind)));
    }
    widths.push_back(IsText(table.columns[i].kind) ? std::min(width, kMaxTextColumn) : width);
  }
  return widths;
}

// The name and the library, in what is left of the line.
std::string FunctionText(const ReportTable::Cell& function, const ReportTable::Cell* library, size_t room,
                         const TerminalStyle& style) {
  const std::string name = CellText(function, Kind::kFunction);
  std::string behind;
  if (library != nullptr && library->is_known) {
    const std::string library_name = CleanText(library->text);
    // "libc.so.6+0x1c15" names its library already.
    if (!name.starts_with(Concat(library_name, "+0x"))) behind = Concat("  [", library_name, "]");
  }
  const size_t used = DisplayWidth(behind);
  const std::string text = Concat(Shortened(name, room > used ? room - used : 0, style), behind);
  return style.width > 0 ? CutText(text, room) : text;
}

// A line for each stack of the row, innermost function first.
std::string StackLines(const ReportTable& table, const ReportTable::Row& row, const TerminalStyle& style) {
  constexpr size_t kMostFrames = 12, kFrameWidth = 40, kLabelWidth = 8;
  std::string lines;
  for (size_t i = 0; i < row.size(); ++i) {
    if (table.columns[i].kind != Kind::kStack || !row[i].is_known) continue;
    std::string line = Concat("      ", PadRight(table.columns[i].label, kLabelWidth));
    size_t frames = 0;
    for (const std::string_view name : ReportTable::FramesIn(row[i].text)) {
      line += frames == 0 ? " " : " < ";
      if (++frames > kMostFrames && !style.full_names) {
        line += "...";
        break;
      }
      const std::string clean = CleanText(name);
      line += style.full_names ? clean : ShortFunctionName(clean, kFrameWidth);
    }
    lines += Concat(CutText(line, style.width), "\n");
  }
  return lines;
}

// Colours stand outside of what is counted and cut.
std::string RowText(const ReportTable& table, const ReportTable::Row& row, const std::vector<size_t>& widths,
                    const TerminalStyle& style) {
  std::string line;
  size_t used = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const Kind kind = table.columns[i].kind;
    if (kind == Kind::kStack) break;  // they come last
    const bool is_last = i + 1 == row.size();
    const size_t room = style.width > used + 2 ? style.width - used - 2 : 0;
    if (style.width > 0 && room == 0) break;
    if (kind == Kind::kFunction) {
      return Concat(line, "  ", FunctionText(row[i], is_last ? nullptr : &row[i + 1], room, style));
    }
    std::string text = CellText(row[i], kind);
    if (!IsText(kind)) {
      text = PadLeft(text, widths[i]);
    } else if (!is_last) {
      text = PadRight(text, widths[i]);
    }
    if (style.width > 0) text = CutText(text, room);
    line += Concat("  ", Colored(text, row[i].tone, style));
    used += 2 + DisplayWidth(text);
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string LabelsText(const ReportTable& table, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ReportTable::Column& column = table.columns[i];
    if (column.kind == Kind::kStack) break;
    const bool is_last = column.kind == Kind::kFunction || i + 1 == table.columns.size();
    line += Concat("  ", !IsText(column.kind) ? PadLeft(column.label, widths[i])
                         : is_last            ? column.label
                                              : PadRight(column.label, widths[i]));
    if (is_last) break;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

std::string WriteTableText(const ReportTable& table, const TerminalStyle& style) {
  std::string text;
  if (!table.title.empty()) {
    const std::string title = CutText(CleanText(table.title), style.width);
    text += style.color ? Concat("\n\x1b[1m", title, "\x1b[0m\n") : Concat("\n", title, "\n");
  }
  const std::vector<size_t> widths = Widths(table);
  if (!table.rows.empty()) {
    text += Concat(CutText(LabelsText(table, widths), style.width), "\n");
  } else if (table.notes.empty()) {
    text += "  none\n";
  }
  for (const ReportTable::Row& row : table.rows)
    text += Concat(RowText(table, row, widths, style), "\n", StackLines(table, row, style));
  if (table.all_rows > table.rows.size()) {
    text += Concat("  ... and ", GroupedText(static_cast<double>(table.all_rows - table.rows.size())), " more\n");
  }
  for (const std::string& note : table.notes) text += Concat(CutText(Concat("  ", CleanText(note)), style.width), "\n");
  return text;
}

namespace {

using Kind = ReportTable::Kind;

void WriteStack(std::string_view names, JsonText* json) {
  json->BeginArray();
  for (const std::string_view name : ReportTable::FramesIn(names)) json->String(CleanText(name));
  json->EndArray();
}

void WriteCell(const ReportTable::Cell& cell, Kind kind, JsonText* json) {
  if (!cell.is_known) return json->Null();
  if (kind == Kind::kStack) return WriteStack(cell.text, json);
  if (IsText(kind)) return json->String(CleanText(cell.text));
  json->Number(cell.number);
}

}  // namespace

void WriteTableJson(const ReportTable& table, JsonText* json) {
  json->Key("rowCount");
  json->Integer(static_cast<int64_t>(table.all_rows));
  json->Key("rows");
  json->BeginArray();
  for (const ReportTable::Row& row : table.rows) {
    json->BeginObject();
    for (size_t i = 0; i < row.size(); ++i) {
      json->Key(table.columns[i].key);
      WriteCell(row[i], table.columns[i].kind, json);
    }
    json->EndObject();
  }
  json->EndArray();
  json->Key("notes");
  json->BeginArray();
  for (const std::string& note : table.notes) json->String(CleanText(note));
  json->EndArray();
}

}  // namespace geckoprof
