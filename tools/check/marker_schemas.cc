#include "tools/check/marker_schemas.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "geckoprof/labels/category_numbers.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kNames[] = {"name", "category", "start", "end", "duration"};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes 'text' off the front.
bool TakeQuoted(std::string_view* text) {
  *text = Trimmed(*text);
  if (text->empty() || text->front() != '\'') return false;
  const size_t close = text->find('\'', 1);
  if (close == std::string_view::npos) return false;
  *text = Trimmed(text->substr(close + 1));
  return true;
}

// 'a' : 'b'
bool IsChoice(std::string_view text) {
  if (!TakeQuoted(&text) || text.empty() || text.front() != ':') return false;
  text.remove_prefix(1);
  return TakeQuoted(&text) && text.empty();
}

// In a choice, the viewer knows such keys alone.
bool IsWord(std::string_view key) {
  return std::all_of(key.begin(), key.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

// Reads the text between braces.
void ParseExpression(std::string_view expression, LabelTemplate* result) {
  const size_t question = expression.find('?');
  const std::string_view path = Trimmed(expression.substr(0, question));
  constexpr std::string_view kMarker = "marker.", kData = "marker.data.";
  const bool choice = question != std::string_view::npos;
  if (path.starts_with(kData)) {
    const std::string_view key = path.substr(kData.size());
    if (!key.empty() && key.find('.') == std::string_view::npos &&
        (!choice || (IsWord(key) && IsChoice(expression.substr(question + 1))))) {
      result->keys.push_back(key);
      return;
    }
  } else if (path.starts_with(kMarker) && !choice &&
             std::find(std::begin(kNames), std::end(kNames), path.substr(kMarker.size())) != std::end(kNames)) {
    return;
  }
  result->fault = Concat("\"{", expression, "}\" is no expression of a label");
}

}  // namespace

LabelTemplate ParseLabelTemplate(std::string_view label) {
  LabelTemplate result;
  for (size_t position = 0; result.fault.empty();) {
    const size_t open = label.find('{', position);
    if (open == std::string_view::npos) break;
    // The viewer knows no quotes here.
    const size_t close = label.find('}', open);
    if (close == std::string_view::npos) {
      result.fault = "a \"{\" without its \"}\"";
      break;
    }
    if (close > open + 1) ParseExpression(label.substr(open + 1, close - open - 1), &result);  // "{}" is text
    position = close + 1;
  }
  return result;
}

namespace {

using Need = ValueChecker::Need;

constexpr std::string_view kReserved[] = {"Jank", "IPC", "Network"};  // the viewer's own, which override the file's
constexpr std::string_view kDisplay[] = {"marker-chart", "marker-table",    "timeline-overview", "timeline-memory",
                                         "timeline-ipc", "timeline-fileio", "timeline-network",  "stack-chart"};
constexpr std::string_view kGraphTypes[] = {"bar", "line", "line-filled"};
constexpr std::string_view kLabels[] = {"chartLabel", "tooltipLabel", "tableLabel"};

// A table is an object, which says what its columns are.
MarkerFormat FormatNamed(std::string_view name, const JsonPath& path, ValueChecker* checker) {
  const std::optional<MarkerFormat> known = MarkerFormatNamed(name);
  if (known.has_value() && *known != MarkerFormat::kTable) return *known;
  checker->Warning(path, Concat("\"", name, "\" is no format of the viewer, which shows the value as it is"));
  return MarkerFormat::kString;
}

// Of a table; what has no format is a text.
std::vector<MarkerFormat> CheckColumns(JsonView columns, const JsonPath& path, ValueChecker* checker) {
  std::vector<MarkerFormat> formats;
  for (size_t i = 0; i < columns.size(); ++i) {
    const JsonView type = columns.At(i)["type"];
    formats.push_back(type.IsString() ? FormatNamed(type.AsString(), path / i / "type", checker)
                                      : MarkerFormat::kString);
  }
  return formats;
}

std::optional<MarkerFieldRule> CheckFormat(JsonView field, const JsonPath& path, ValueChecker* checker) {
  const JsonView format = field["format"];
  const JsonPath format_path = path / "format";
  const bool hidden = field["hidden"].IsTrue();
  if (format.IsObject()) {
    if (format["type"].AsString() != "table" || !format["columns"].IsArray()) {
      checker->Fault(format_path, "is no {\"type\":\"table\",\"columns\":[...]}");
      return std::nullopt;
    }
    return MarkerFieldRule{MarkerFormat::kTable, CheckColumns(format["columns"], format_path / "columns", checker),
                           hidden};
  }
  const auto name = checker->Lenient().String(field, "format", path);
  if (!name.has_value()) return MarkerFieldRule{MarkerFormat::kString, {}, hidden};
  return MarkerFieldRule{FormatNamed(*name, format_path, checker), {}, hidden};
}

// Fields, and in the Gecko format static entries {label, value} among them.
void CheckFields(JsonView list, bool statics, const JsonPath& path, ValueChecker* checker,
                 MarkerSchemas::Fields* fields) {
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonPath field_path = path / i;
    const JsonView field = list.At(i);
    if (!field.IsObject()) {
      checker->Fault(field_path, Concat("is ", field.TypeName(), ", not object"));
      continue;
    }
    ValueChecker lenient = checker->Lenient();
    if (statics && !field["key"].Exists() && field["value"].Exists()) {
      lenient.String(field, "label", field_path);
      lenient.String(field, "value", field_path);
      continue;
    }
    const auto key = checker->String(field, "key", field_path);
    lenient.String(field, "label", field_path, Need::kOptional);
    lenient.Bool(field, "hidden", field_path, Need::kOptional);
    lenient.Bool(field, "searchable", field_path, Need::kOptional);
    const std::optional<MarkerFieldRule> rule = CheckFormat(field, field_path, checker);
    if (!key.has_value() || !rule.has_value()) continue;
    if (!fields->try_emplace(std::string(*key), *rule).second) {
      checker->Warning(field_path / "key", Concat("\"", *key, "\" is a key for the second time"));
    }
  }
}

void CheckDisplay(JsonView schema, const JsonPath& path, ValueChecker* checker) {
  const JsonView display = checker->Array(schema, "display", path);
  const JsonPath display_path = path / "display";
  for (size_t i = 0; i < display.size(); ++i) {
    const JsonView place = display.At(i);
    if (!place.IsString() || !IsOneOf(kDisplay, place.AsString())) {
      checker->Warning(display_path / i, Concat("\"", place.AsString(), "\" is no place of the viewer"));
    }
  }
}

void CheckLabels(JsonView schema, const MarkerSchemas::Fields& fields, const JsonPath& path, ValueChecker* checker) {
  for (const std::string_view name : kLabels) {
    const auto label = checker->String(schema, name, path, Need::kOptional);
    if (!label.has_value()) continue;
    const LabelTemplate parsed = ParseLabelTemplate(*label);
    if (!parsed.fault.empty()) checker->Fault(path / name, parsed.fault);
    for (const std::string_view key : parsed.keys) {
      // The viewer prints the raw value, if there is one. Firefox's WakeUpCount asks for "count", its field is "Count".
      if (!fields.contains(std::string(key))) checker->Warning(path / name, Concat("\"", key, "\" is no field"));
    }
  }
}

void CheckGraphs(JsonView schema, const MarkerSchemas::Fields& fields, const JsonPath& path, ValueChecker* checker) {
  const JsonView graphs = checker->Array(schema, "graphs", path, Need::kOptional);
  const JsonPath graphs_path = path / "graphs";
  for (size_t i = 0; i < graphs.size(); ++i) {
    const JsonPath graph_path = graphs_path / i;
    const auto key = checker->String(graphs.At(i), "key", graph_path);
    if (key.has_value() && !fields.contains(std::string(*key))) {
      checker->Warning(graph_path / "key", Concat("\"", *key, "\" is no field"));
    }
    const auto type = checker->String(graphs.At(i), "type", graph_path);
    if (type.has_value() && !IsOneOf(kGraphTypes, *type)) {
      checker->Fault(graph_path / "type", Concat("\"", *type, "\" is no graph of the viewer"));
    }
    CheckGraphColor(graphs.At(i), Need::kOptional, graph_path, checker);
  }
}

}  // namespace

// Of another one the viewer dies.
void CheckGraphColor(JsonView graph, Need need, const JsonPath& path, ValueChecker* checker) {
  const auto color = checker->String(graph, "color", path, need);
  if (color.has_value() && !IsGraphColor(*color)) {
    checker->Fault(path / "color", Concat("\"", *color, "\" is not known to the viewer"));
  }
}

void CheckNumberValue(JsonView value, const JsonPath& path, ValueChecker* checker) {
  if (value.IsNumber()) return;
  double number = 0;
  const bool is_shown =
      value.IsBool() || (value.IsString() && absl::SimpleAtod(std::string(value.AsString()), &number));
  const std::string what = Concat("is ", value.TypeName(), ", but the format wants number");
  is_shown ? checker->Warning(path, what) : checker->Fault(path, what);
}

void CheckFormattedValue(JsonView entry, const JsonPath& path, ValueChecker* checker) {
  const std::optional<MarkerFieldRule> rule = CheckFormat(entry, path, checker);
  const JsonView value = entry["value"];
  if (!value.Exists()) return checker->Fault(path / "value", "is missing");
  const bool of_numbers =
      rule.has_value() && (rule->format == MarkerFormat::kNumber || rule->format == MarkerFormat::kInteger ||
                           rule->format == MarkerFormat::kHexadecimal);
  if (of_numbers) CheckNumberValue(value, path / "value", checker);
}

void MarkerSchemas::Add(JsonView list, std::string_view field_key, const JsonPath& path, ValueChecker* checker) {
  absl::flat_hash_set<std::string> names;
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonPath schema_path = path / i;
    const JsonView schema = list.At(i);
    if (!schema.IsObject()) {
      checker->Fault(schema_path, Concat("is ", schema.TypeName(), ", not object"));
      continue;
    }
    const auto name = checker->Lenient().String(schema, "name", schema_path);  // without one no marker has the type
    if (name.has_value() && IsOneOf(kReserved, *name)) {
      checker->Warning(schema_path / "name",
                       Concat("\"", *name, "\" is a type of the viewer's own, which overrides this"));
    }
    if (name.has_value() && !names.insert(std::string(*name)).second) {
      checker->Fault(schema_path / "name", Concat("\"", *name, "\" is in the list for the second time"));
    }
    Fields fields;
    AddType(schema, field_key, schema_path, checker, &fields);
    if (name.has_value()) types_.try_emplace(std::string(*name), std::move(fields));
  }
}

void MarkerSchemas::AddType(JsonView schema, std::string_view field_key, const JsonPath& path, ValueChecker* checker,
                            Fields* fields) {
  CheckDisplay(schema, path, checker);
  const JsonView list = checker->Array(schema, field_key, path);
  CheckFields(list, field_key == "data", path / field_key, checker, fields);
  CheckLabels(schema, *fields, path, checker);
  CheckGraphs(schema, *fields, path, checker);
  ValueChecker lenient = checker->Lenient();
  lenient.Bool(schema, "isStackBased", path, Need::kOptional);
  lenient.String(schema, "description", path, Need::kOptional);
  lenient.String(schema, "colorField", path, Need::kOptional);
}

const MarkerSchemas::Fields* MarkerSchemas::Find(std::string_view type) const {
  const auto found = types_.find(std::string(type));
  return found == types_.end() ? nullptr : &found->second;
}

}  // namespace geckoprof
