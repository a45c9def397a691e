#include "tools/report/table_json.h"

#include <string_view>

#include "tools/text/terminal_text.h"

namespace geckoprof {
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
  if (kind == Kind::kText || kind == Kind::kFunction || kind == Kind::kLibrary)
    return json->String(CleanText(cell.text));
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
