#include "tools/report/view_report.h"

#include <utility>

#include "tools/report/json_report.h"
#include "tools/report/json_text.h"
#include "tools/report/table_json.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

std::string WriteViewJson(const ReportTable& table, ReportView view, const ProfileSummary& summary,
                          const std::string& file) {
  JsonText json;
  json.BeginObject();
  json.Key("file");
  json.String(CleanText(file));
  json.Key("by");
  json.String(ReportViewName(view));
  json.Key("durationMs");
  json.Number(summary.duration_ms);
  json.Key("samples");
  json.Number(summary.samples);
  json.Key("idleSamples");
  json.Number(summary.idle_samples);
  WriteCountedUnit(summary, &json);
  WriteTableJson(table, &json);
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace geckoprof
