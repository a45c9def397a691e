#include "geckoprof/gecko_json/gecko_meta_writer.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/sample_process.h"

namespace geckoprof {
namespace {

template <typename Write>
std::string Json(const Write& write) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  write(writer);
  REQUIRE(writer.Finish());
  return text;
}

std::string Meta(const ProcessProfile& process, bool is_parent, std::string_view product = {}) {
  return Json([&](JsonWriter& writer) {
    writer.StartObject();
    WriteGeckoMeta(process, GeckoCategories(process.categories), is_parent, product, writer);
    writer.EndObject();
  });
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("a marker schema in the words of either format") {
  MarkerTypeRow type;
  type.name = "Step";
  type.description = "One.";
  type.chart_label = "{chart}";
  type.table_label = "{table}";
  type.display = {"marker-chart"};
  type.fields = {{"n", "Nr", "bytes", true}};
  CHECK(Json([&](JsonWriter& writer) { WriteMarkerSchema(type, false, writer); }) ==
        R"({"name":"Step","chartLabel":"{chart}","tableLabel":"{table}","display":["marker-chart"],)"
        R"("data":[{"key":"n","label":"Nr","format":"bytes","hidden":true},{"label":"Description","value":"One."}]})");
  CHECK(Json([&](JsonWriter& writer) { WriteMarkerSchema(type, true, writer); }) ==
        R"({"name":"Step","chartLabel":"{chart}","tableLabel":"{table}","display":["marker-chart"],)"
        R"("fields":[{"key":"n","label":"Nr","format":"bytes","hidden":true}],"description":"One."})");
}

TEST_CASE("the columns of a table, however odd its text is") {
  const auto format_of = [](std::string_view text) {
    MarkerTypeRow type;
    type.fields.push_back({"k", "", std::string(text), false});
    const std::string json = Json([&](JsonWriter& writer) { WriteMarkerSchema(type, true, writer); });
    const std::string_view before = "\"format\":";
    const size_t begin = json.find(before) + before.size();
    return json.substr(begin, json.rfind("}]") - begin);
  };
  CHECK(format_of("list") == R"("list")");
  CHECK(format_of("table\x1eStage\x1fstring\x1e\x1f"
                  "bytes") == R"({"type":"table","columns":[{"label":"Stage","type":"string"},{"type":"bytes"}]})");
  CHECK(format_of("table\x1e") == R"({"type":"table","columns":[{}]})");
  CHECK(format_of("table\x1e\x1e"
                  "a\x1f") == R"({"type":"table","columns":[{},{"label":"a"}]})");
}

TEST_CASE("colour, notes, graphs and nesting of a marker schema") {
  MarkerTypeRow type;
  type.name = "Step";
  type.description = "One.";
  type.tooltip_label = "{tip}";
  type.color_field = "c";
  type.is_stack_based = true;
  type.notes = {{"Description", "A note."}, {"Unit", "m"}};
  type.graphs = {{"n", "line", "red"}, {"m", "bar", ""}};
  type.fields.resize(2);
  type.fields[0].key = "n";
  type.fields[1].key = "m";
  for (MarkerTypeField& field : type.fields) field.format = "integer";
  const std::string fields = R"({"key":"n","format":"integer"},{"key":"m","format":"integer"})";
  const std::string graphs = R"("graphs":[{"key":"n","type":"line","color":"red"},{"key":"m","type":"bar"}])";
  const std::string head =
      R"({"name":"Step","tooltipLabel":"{tip}","isStackBased":true,"colorField":"c","display":[],)";
  CHECK(Json([&](JsonWriter& writer) { WriteMarkerSchema(type, false, writer); }) ==
        head + R"("data":[)" + fields + R"(,{"label":"Description","value":"A note."},{"label":"Unit","value":"m"},)" +
            R"({"label":"Description","value":"One."}],)" + graphs + "}");
  CHECK(Json([&](JsonWriter& writer) { WriteMarkerSchema(type, true, writer); }) ==
        head + R"("fields":[)" + fields + "]," + graphs + R"(,"description":"One. A note. Unit: m"})");
}

TEST_CASE("what no viewer could show of a marker type is left out of its schema") {
  MarkerTypeRow type;
  type.name = "Odd";
  type.chart_label = "{marker.data.n} {unclosed";
  type.table_label = "{marker.data.n} }";
  type.fields.resize(5);
  const char* const keys[] = {"n", "n", "type", "stack", "cause"};
  for (size_t i = 0; i < 5; ++i) type.fields[i].key = keys[i];
  for (MarkerTypeField& field : type.fields) field.format = "integer";
  type.graphs = {{"type", "line", ""}, {"nothing", "bar", ""}};
  CHECK(Json([&](JsonWriter& writer) { WriteMarkerSchema(type, true, writer); }) ==
        R"({"name":"Odd","tableLabel":"{marker.data.n} }","display":[],"fields":[{"key":"n","format":"integer"}]})");
}

TEST_CASE("of types with one name the first is the schema, and one that the viewer knows has none") {
  ProcessProfile process = SampleProcess();
  MarkerTypeRow type;
  type.name = "Twice";
  process.marker_types.push_back(type);
  process.marker_types.push_back(type);
  type.name = "Known";
  type.has_schema = false;
  process.marker_types.push_back(type);
  const std::string meta = Meta(process, true);
  const size_t first = meta.find(R"("name":"Twice")");
  REQUIRE(first != std::string::npos);
  CHECK(meta.find(R"("name":"Twice")", first + 1) == std::string::npos);
  CHECK_FALSE(Has(meta, "Known"));
}

TEST_CASE("the configuration counts capacity in entries") {
  CHECK(Json([](JsonWriter& writer) { WriteConfiguration(SampleProcess(), writer); }) ==
        R"({"features":["stackwalk","cpu"],"threads":["*"],"interval":1,"capacity":1024})");
}

TEST_CASE("facts of the recording: asked, taken, lost, not as asked, pauses") {
  ProcessProfile process = SampleProcess();
  process.problems = {"a sentence"};
  process.segment_bytes_used = 77;
  process.sampler_cpu_ns = 1'500'000;
  CHECK(Json([&](JsonWriter& writer) { WriteRecordingFacts(process, writer); }) ==
        R"({"endReason":"exited","samplesAsked":12,"samplesTaken":11,"samplerCPUTime":1.5,"samplerBytes":77,)"
        R"("losses":[{"what":"no-chunk","count":3}],"problems":["a sentence"],)"
        R"("pauses":{"upperNs":[1000,2000],"counts":[5,7]}})");
}

TEST_CASE("the end: a section for a report, and a status or signal for each process") {
  ProcessProfile process = SampleProcess();
  CHECK_FALSE(Has(Meta(process, true), "extra"));
  process.end_text = "exit status 3";
  CHECK(Has(Meta(process, true), R"("extra":[{"label":"Recording","entries":[)"
                                 R"({"label":"End","format":"string","value":"exit status 3"}]}])"));
  process.exit.status = 3;
  CHECK(Has(Meta(process, true), R"({"label":"Exit status","format":"string","value":"3"}]}])"));
  const auto facts = [&] { return Json([&](JsonWriter& writer) { WriteRecordingFacts(process, writer); }); };
  CHECK(Has(facts(), R"("exitStatus":3)"));
  CHECK_FALSE(Has(facts(), "crashSignal"));
  process.crash.signal = 11;
  CHECK(Has(facts(), R"("crashSignal":11)"));
}

TEST_CASE("a process that lives has no time of its end; only the first process names machine and product") {
  ProcessProfile process = SampleProcess();
  CHECK(Has(Meta(process, true), R"("shutdownTime":10,)"));
  CHECK(Has(Meta(process, true), R"("product":"solver")"));
  CHECK(Has(Meta(process, true), R"("oscpu":"Linux )"));
  process.end_reason = "alive";
  const std::string child = Meta(process, false);
  CHECK(Has(child, R"("shutdownTime":null)"));
  CHECK_FALSE(Has(child, "product"));
  CHECK_FALSE(Has(child, "oscpu"));
}

TEST_CASE("the product is the name given, else the program") {
  ProcessProfile process = SampleProcess();
  CHECK(Has(Meta(process, true, "given"), R"("product":"given")"));
  process.executable.clear();
  process.arguments = {"/opt/started", "-x"};
  CHECK(Has(Meta(process, true), R"("product":"started")"));
  process.arguments.clear();
  CHECK(Has(Meta(process, true), R"("product":"unknown program")"));
}

TEST_CASE("stacks were walked if that feature was on") {
  ProcessProfile process = SampleProcess();
  CHECK(Has(Meta(process, true), R"("stackwalk":1,)"));
  process.features = {"cpu"};
  CHECK(Has(Meta(process, true), R"("stackwalk":0,)"));
}

TEST_CASE("meta: a recording that the program started later begins there, and its content after that") {
  ProcessProfile process = SampleProcess();
  CHECK(Has(Meta(process, false), R"("profilingStartTime":0,"contentEarliestTime":1.258982,)"));
  process.recording_ns = process.start_ns + 2'500'000;
  CHECK(Has(Meta(process, false), R"("profilingStartTime":2.5,"contentEarliestTime":2.5,)"));
  for (ThreadRow& thread : process.threads) thread.samples = {}, thread.markers = {};
  CHECK(Has(Meta(process, false), R"("contentEarliestTime":2.5,)"));
}

TEST_CASE("meta: times as far apart as can be are written as the farthest there is") {
  ProcessProfile process = SampleProcess();
  process.start_ns = INT64_MIN;
  process.recording_ns = process.end_ns = INT64_MAX;
  CHECK(Has(Meta(process, false), R"("profilingEndTime":9223372036854.775807)"));
  process.start_ns = INT64_MAX;
  process.recording_ns = process.end_ns = INT64_MIN;
  CHECK(Has(Meta(process, false), R"("profilingStartTime":-9223372036854.775808)"));
}

}  // namespace
}  // namespace geckoprof
