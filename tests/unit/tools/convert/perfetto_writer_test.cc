#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/tools/convert/proto_text.h"
#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"

namespace geckoprof {
namespace {

// Everything that was interned under a field of InternedData, by iid.
std::map<uint64_t, std::string> Interned(const std::vector<std::string>& packets, uint32_t field) {
  std::map<uint64_t, std::string> entries;
  for (const std::string& packet : packets) {
    for (const std::string& entry : ProtoValues(ProtoValue(packet, 12), field)) {
      CHECK(entries.emplace(ProtoNumbers(entry, 1)[0], entry).second);
    }
  }
  return entries;
}

TEST_CASE("samples with interned stacks") {
  const std::vector<std::string> packets = ProtoValues(Written(SmallModel(), WritePerfetto), 1);
  std::vector<std::string> samples;
  for (const std::string& packet : packets) {
    if (!ProtoValue(packet, 66).empty()) samples.push_back(packet);
  }
  REQUIRE(samples.size() == 5);
  CHECK(ProtoValue(samples[1], 8) == "1001000000");
  CHECK(ProtoValue(ProtoValue(samples[3], 66), 3) == "11");
  const auto stacks = Interned(packets, 7), frames = Interned(packets, 6), names = Interned(packets, 5),
             mappings = Interned(packets, 19), build_ids = Interned(packets, 16);
  const std::string stack = stacks.at(ProtoNumbers(ProtoValue(samples[3], 66), 4)[0]);
  const std::vector<uint64_t> rows = ProtoNumbers(stack, 2);
  REQUIRE(rows.size() == 3);  // the outermost first
  CHECK(ProtoValue(names.at(ProtoNumbers(frames.at(rows[0]), 2)[0]), 2) == "main");
  const std::string leaf = frames.at(rows[2]);
  CHECK(ProtoValue(names.at(ProtoNumbers(leaf, 2)[0]), 2) == "hash");
  CHECK(ProtoValue(leaf, 6) == "21");
  const std::string mapping = mappings.at(ProtoNumbers(leaf, 3)[0]);
  CHECK(ProtoValue(build_ids.at(ProtoNumbers(mapping, 2)[0]), 2) == "\x01\x23\x45\x67\x89\xab\xcd\xef");
}

TEST_CASE("markers begin and end, counters have values") {
  ProfileModel model = SmallModel();
  model.threads[0].markers.push_back({0, ProfileMarkerPhase::kInterval, 1.5, 3, kNoRow, kNoRow});
  std::map<std::string, std::vector<std::string>> events;
  std::vector<std::string> tracks;
  for (const std::string& packet : ProtoValues(Written(model, WritePerfetto), 1)) {
    const std::string event = ProtoValue(packet, 11);
    if (!event.empty()) events[ProtoValue(event, 9)].push_back(packet);
    if (!ProtoValue(packet, 60).empty()) tracks.push_back(ProtoValue(packet, 60));
  }
  REQUIRE(events["1"].size() == 2);
  REQUIRE(events["2"].size() == 2);
  CHECK(events["3"].size() == 1);
  CHECK(events["4"].size() == 3);
  CHECK(ProtoValue(events["1"][0], 8) == "1001000000");
  CHECK(ProtoValues(ProtoValue(events["1"][0], 11), 4).size() == 4);
  // Process, two threads, the track of what crosses, the counter.
  CHECK(tracks.size() == 5);
  CHECK(ProtoValue(ProtoValue(events["1"][0], 11), 11) != ProtoValue(ProtoValue(events["1"][1], 11), 11));
}

TEST_CASE("processes, threads, libraries and source files have their names, the first moment its date") {
  const std::vector<std::string> packets = ProtoValues(Written(SmallModel(), WritePerfetto), 1);
  std::map<std::string, std::string> threads, clocks;
  std::string process, counter;
  for (const std::string& packet : packets) {
    const std::string track = ProtoValue(packet, 60);
    if (const std::string thread = ProtoValue(track, 4); !thread.empty()) {
      threads[ProtoValue(thread, 1) + "/" + ProtoValue(thread, 2)] = ProtoValue(thread, 5);
    }
    if (const std::string found = ProtoValue(track, 3); !found.empty()) process = found;
    if (!ProtoValue(track, 8).empty()) counter = track;
    for (const std::string& clock : ProtoValues(ProtoValue(packet, 6), 1)) {
      clocks[ProtoValue(clock, 1)] = ProtoValue(clock, 2);
    }
  }
  CHECK(threads == std::map<std::string, std::string>{{"10/10", "main"}, {"10/11", "work;er"}});
  CHECK(ProtoValue(process, 1) == "10");
  CHECK(ProtoValue(process, 6) == "demo");
  CHECK(ProtoValue(counter, 2) == "heap");
  CHECK(ProtoValue(ProtoValue(counter, 8), 3) == "3");  // bytes
  CHECK(clocks == std::map<std::string, std::string>{{"6", "1000000000"}, {"1", "1750000000000000000"}});
  const auto frames = Interned(packets, 6), names = Interned(packets, 5), mappings = Interned(packets, 19),
             paths = Interned(packets, 17), sources = Interned(packets, 18);
  bool has_hash = false;
  for (const auto& [iid, frame] : frames) {
    if (ProtoValue(frame, 6) != "21") continue;
    has_hash = true;
    CHECK(ProtoValue(names.at(ProtoNumbers(frame, 2)[0]), 2) == "hash");
    CHECK(ProtoValue(sources.at(ProtoNumbers(frame, 5).at(0)), 2) == "demo.cc");
    const std::string mapping = mappings.at(ProtoNumbers(frame, 3)[0]);
    CHECK(ProtoValue(paths.at(ProtoNumbers(mapping, 7)[0]), 2) == "/usr/bin/demo");
  }
  CHECK(has_hash);
}

TEST_CASE("a marker's fields are with it, each as what it is") {
  const std::vector<std::string> packets = ProtoValues(Written(SmallModel(), WritePerfetto), 1);
  const auto keys = Interned(packets, 3), names = Interned(packets, 2), categories = Interned(packets, 1);
  size_t markers = 0;
  for (const std::string& packet : packets) {
    const std::string event = ProtoValue(packet, 11);
    if (ProtoValue(event, 9) != "1") continue;
    ++markers;
    CHECK(ProtoValue(names.at(ProtoNumbers(event, 10)[0]), 2) == "load");
    CHECK(ProtoValue(categories.at(ProtoNumbers(event, 3)[0]), 2) == "User");
    std::map<std::string, std::string> fields;
    for (const std::string& field : ProtoValues(event, 4)) {
      fields[ProtoValue(keys.at(ProtoNumbers(field, 1)[0]), 2)] = field;
    }
    CHECK(ProtoValue(fields["file"], 6) == "a.txt");
    CHECK(ProtoValue(fields["bytes"], 5) == std::to_string(0x4045000000000000));  // 42 as a double
    CHECK(ProtoValue(fields["ok"], 2) == "1");
    CHECK(ProtoValue(fields["parts"], 6) == R"([["a",2]])");
  }
  CHECK(markers == 1);
}

TEST_CASE("a sample that stands for several is repeated, within reason") {
  ProfileModel model = SmallModel();
  model.threads[0].samples[1].weight = 3;
  const auto count = [&] {
    size_t samples = 0;
    for (const std::string& packet : ProtoValues(Written(model, WritePerfetto), 1)) {
      samples += ProtoValue(packet, 66).empty() ? 0 : 1;
    }
    return samples;
  };
  CHECK(count() == 7);
  model.threads[0].samples[1].weight = 1e15;
  CHECK(count() == 5);
}

TEST_CASE("allocations are no samples") {
  ProfileModel model = SmallModel();
  model.threads[1].weight_unit = ProfileWeightUnit::kBytes;
  size_t samples = 0;
  for (const std::string& packet : ProtoValues(Written(model, WritePerfetto), 1)) {
    samples += ProtoValue(packet, 66).empty() ? 0 : 1;
  }
  CHECK(samples == 3);
}

}  // namespace
}  // namespace geckoprof
