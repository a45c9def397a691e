// A profile with a bit of everything, for the tests of what writes one.
#ifndef GECKOPROF_TESTS_UNIT_TOOLS_CONVERT_SMALL_MODEL_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_CONVERT_SMALL_MODEL_H_

#include <string>

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Process 10, threads "main" and "work;er" (tid 11):
//   main     (root) > main > run, at 0, 1, 2 ms (1 ms of CPU each), and one idle row for 5 at 3 ms
//   work;er  (root) > main > run > hash (inlined into run), at 0.5 ms
// with a marker "load" 1..2 ms {file: "a.txt", bytes: 42, ok: true, parts: [["a", 2]]}, an instant "tick\x1b[31m"
// at 1.5 ms, and a counter.
inline ProfileModel SmallModel() {
  ProfileModel model;
  model.format = ProfileFormat::kProcessed;
  model.product = "demo";
  model.start_epoch_ms = 1.75e12;
  model.interval_ms = 1;
  model.duration_ms = 8;
  model.categories = {"Other", "User"};
  model.category_colors = {"grey", "blue"};
  ModelBuilder builder(&model, ProfileDetail::kFull);
  const int32_t library =
      builder.Library({"demo", "/usr/bin/demo", "0123456789ABCDEF0123456789ABCDEF0", "0123456789abcdef"});
  const auto frame = [&](const char* name, int64_t address, int32_t line, int32_t depth) {
    ProfileFrame row;
    row.function = builder.Function(name, name[0] == '(' ? "" : "demo");
    if (address >= 0) {
      row.library = library;
      row.address = address;
      row.source = builder.Intern("demo.cc");
      row.line = line;
    }
    row.category = 1;
    row.inline_depth = depth;
    return builder.FrameRow(row);
  };
  const int32_t root = builder.AddModelStack(kNoRow, frame("(root)", -1, 0, 0));
  const int32_t main = builder.AddModelStack(root, frame("main", 0x10, 3, 0));
  const int32_t run = builder.AddModelStack(main, frame("run", 0x40, 7, 0));
  const int32_t hash = builder.AddModelStack(run, frame("hash", 0x40, 21, 1));
  model.processes.push_back({"10", "demo", 0});
  ProfileThread thread;
  thread.name = "main";
  thread.tid = 10;
  thread.is_main = true;
  for (const double time_ms : {0.0, 1.0, 2.0}) builder.AddSample({time_ms, 1, 1'000'000, run}, &thread);
  builder.AddSample({3, 5, 0, run}, &thread);
  ProfileMarkerData data;
  data.type = builder.Intern("Load");
  data.field_count = 4;
  data.stack = run;
  using Kind = ProfileMarkerField::Kind;
  model.marker_fields = {{builder.Intern("file"), Kind::kText, builder.Intern("a.txt"), 0},
                         {builder.Intern("bytes"), Kind::kNumber, kNoRow, 42},
                         {builder.Intern("ok"), Kind::kBool, kNoRow, 1},
                         {builder.Intern("parts"), Kind::kJson, builder.Intern(R"([["a",2]])"), 0}};
  model.marker_data = {data};
  MarkerTypeRow schema;
  schema.name = "Load";
  schema.display = {"marker-chart"};
  schema.fields = {{"file", "File", "unique-string", false},
                   {"bytes", "Bytes", "bytes", false},
                   {"parts", "Parts", "table\x1eName\x1f\x1eSize\x1finteger", false}};
  model.marker_schemas = {schema};
  thread.markers.push_back({builder.Intern("load"), ProfileMarkerPhase::kInterval, 1, 2, 1, 0});
  thread.markers.push_back({builder.Intern("tick\x1b[31m"), ProfileMarkerPhase::kInstant, 1.5, 0, kNoRow, kNoRow});
  model.threads.push_back(thread);
  ProfileThread worker;
  worker.name = "work;er";
  worker.tid = 11;
  builder.AddSample({0.5, 1, 500'000, hash}, &worker);
  builder.AddSample({1.5, 1, 700'000, hash}, &worker);
  model.threads.push_back(worker);
  ProfileCounter counter;
  counter.name = "heap";
  counter.category = "Memory";
  counter.unit = "bytes";
  counter.rows = {{0, 100, 0}, {1, 50, 0}, {2, -30, 0}};
  model.counters.push_back(counter);
  return model;
}

// What a writer makes of a model.
template <typename Write>
std::string Written(const ProfileModel& model, Write write, bool with_idle = false) {
  ExportedProfile profile(model, with_idle);
  FormatOutput output(nullptr, /*compress=*/false);
  write(profile, &output);
  return output.Finish().ok() ? output.buffer() : "(failed)";
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_CONVERT_SMALL_MODEL_H_
