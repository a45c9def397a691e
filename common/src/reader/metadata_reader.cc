#include "metadata_reader.h"

#include <utility>

#include "geckoprof/base/hash_mix.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/block_walk.h"
#include "recorded_times.h"

namespace geckoprof {

int32_t MetadataReader::ThreadByIndex(uint64_t index) const { return threads_.Find(MixBits(index)); }
int32_t MetadataReader::InternedString(uint64_t id) const { return strings_.Find(MixBits(id)); }

bool MetadataReader::Read(std::span<const uint8_t> entry) {
  Leb128Reader reader(entry);
  switch (static_cast<EntryType>(reader.Byte())) {
    case EntryType::kString:
      return ReadString(reader);
    case EntryType::kThread:
      return ReadThread(reader);
    case EntryType::kThreadName:
      return ReadThreadName(reader);
    case EntryType::kThreadEnd:
      return ReadThreadEnd(reader);
    case EntryType::kModule:
      return ReadModule(reader);
    case EntryType::kModuleEnd:
      return ReadModuleEnd(reader);
    case EntryType::kProcess:
      return ReadProcess(reader);
    case EntryType::kProcessName:
      return ReadProcessName(reader);
    case EntryType::kFilters:
      return ReadFilters(reader);
    case EntryType::kPause:
      return ReadPause(reader);
    case EntryType::kInterval:
      return ReadInterval(reader);
    case EntryType::kProblem:
      return ReadProblem(reader);
    case EntryType::kMarkerType:
      return sites_.ReadType(reader);
    case EntryType::kMarkerSite:
      return sites_.ReadSite(reader);
    case EntryType::kCategory:
      return tables_.categories().ReadCategory(reader);
    case EntryType::kSubcategory:
      return tables_.categories().ReadSubcategory(reader);
    case EntryType::kRefusedCategories:
      return tables_.categories().ReadRefused(reader);
    case EntryType::kCounter:
      return counters_ == nullptr || counters_->ReadDefinition(reader);
    case EntryType::kCounterEnd:
      return counters_ == nullptr || counters_->ReadEnd(reader);
    default:
      return true;  // of a later version
  }
}

int64_t MetadataReader::Time(Leb128Reader& reader) {
  const int64_t time_ns = PlausibleTime(reader.Uleb());
  if (profile_.end_ns == 0 || time_ns <= profile_.end_ns + kMaxApartNs) return time_ns;
  ++implausible_;
  return profile_.end_ns;
}

bool MetadataReader::ReadString(Leb128Reader& reader) {
  const uint64_t key = MixBits(reader.Uleb());
  const std::string_view text = ReadText(reader);
  if (!reader.ok() || strings_.Find(key) != kNone) return false;
  strings_.Insert(key, tables_.String(text));
  return true;
}

bool MetadataReader::ReadThread(Leb128Reader& reader) {
  const uint64_t key = MixBits(reader.Uleb());
  ThreadRow thread;
  thread.tid = static_cast<int32_t>(reader.Uleb() & INT32_MAX);  // not negative, whatever a damaged file says
  thread.is_main = (reader.Uleb() & kThreadIsMain) != 0;
  thread.registered_ns = Time(reader);
  thread.name = ReadText(reader);
  if (!reader.ok() || threads_.Find(key) != kNone) return false;
  threads_.Insert(key, static_cast<int32_t>(profile_.threads.size()));
  profile_.threads.push_back(std::move(thread));
  return true;
}

bool MetadataReader::ReadThreadName(Leb128Reader& reader) {
  const int32_t row = ThreadByIndex(reader.Uleb());
  const std::string_view name = ReadText(reader);
  if (!reader.ok() || row == kNone) return false;
  profile_.threads[static_cast<size_t>(row)].name = name;
  return true;
}

bool MetadataReader::ReadThreadEnd(Leb128Reader& reader) {
  const int32_t row = ThreadByIndex(reader.Uleb());
  const int64_t ended_ns = Time(reader);
  if (!reader.ok() || row == kNone) return false;
  profile_.threads[static_cast<size_t>(row)].unregistered_ns = ended_ns;
  return true;
}

bool MetadataReader::ReadModule(Leb128Reader& reader) {
  const uint64_t key = MixBits(reader.Uleb());
  LibraryRow library;
  library.mapped_ns = Time(reader);
  library.start_avma = reader.Uleb();
  library.end_avma = reader.Uleb();
  library.bias = static_cast<uint64_t>(reader.Zigzag());
  library.path = ReadText(reader);
  library.build_id = ReadText(reader);
  if (!reader.ok() || library.start_avma >= library.end_avma || modules_.Find(key) != kNone) return false;
  modules_.Insert(key, static_cast<int32_t>(profile_.libraries.size()));
  profile_.libraries.push_back(std::move(library));
  return true;
}

bool MetadataReader::ReadModuleEnd(Leb128Reader& reader) {
  const int32_t row = modules_.Find(MixBits(reader.Uleb()));
  const int64_t unmapped_ns = Time(reader);
  if (!reader.ok() || row == kNone) return false;
  profile_.libraries[static_cast<size_t>(row)].unmapped_ns = unmapped_ns;
  return true;
}

bool MetadataReader::ReadProcess(Leb128Reader& reader) {
  const std::string_view executable = ReadText(reader);
  std::vector<std::string> arguments;
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) arguments.emplace_back(ReadText(reader));
  if (!reader.ok()) return false;
  profile_.executable = executable;
  profile_.arguments = std::move(arguments);
  return true;
}

// The latest name counts, in whatever order the chunks are read.
bool MetadataReader::ReadProcessName(Leb128Reader& reader) {
  const int64_t since_ns = Time(reader);
  const std::string_view name = ReadText(reader);
  if (!reader.ok()) return false;
  if (since_ns < profile_.given_name_ns) return true;
  profile_.given_name = name;
  profile_.given_name_ns = since_ns;
  return true;
}

bool MetadataReader::ReadFilters(Leb128Reader& reader) {
  std::vector<std::string> filters;
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) filters.emplace_back(ReadText(reader));
  if (!reader.ok()) return false;
  profile_.filters = std::move(filters);
  return true;
}

bool MetadataReader::ReadPause(Leb128Reader& reader) {
  PausedRange range;
  range.start_ns = Time(reader);
  range.end_ns = Time(reader);
  range.reason = ReadText(reader);
  if (!reader.ok()) return false;
  std::vector<PausedRange>& paused = profile_.paused;
  const bool was_open = !paused.empty() && paused[0].end_ns == 0 && paused[0].start_ns == range.start_ns;
  if (was_open) {
    paused[0] = std::move(range);
  } else {
    paused.push_back(std::move(range));
  }
  return true;
}

bool MetadataReader::ReadInterval(Leb128Reader& reader) {
  constexpr size_t kMax = 4096;  // a program that changes it so often cannot expect more
  const int64_t until_ns = Time(reader);
  const auto interval_ns = static_cast<int64_t>(reader.Uleb());
  if (!reader.ok() || interval_ns < kMinIntervalNs || interval_ns > kMaxIntervalNs) return false;
  std::vector<EarlierInterval>& intervals = profile_.earlier_intervals;
  if (!intervals.empty() && until_ns < intervals.back().until_ns) return false;
  // An earlier version has no share. A larger share makes no sense.
  const uint64_t share = reader.remaining() > 0 ? reader.Uleb() : 0;
  const int64_t limited_share = reader.ok() && share <= INT32_MAX ? static_cast<int64_t>(share) - 1 : -1;
  if (intervals.size() < kMax) intervals.push_back({until_ns, interval_ns, limited_share});
  return true;
}

bool MetadataReader::ReadProblem(Leb128Reader& reader) {
  const std::string_view text = ReadText(reader);
  if (reader.ok()) profile_.problems.emplace_back(text);
  return reader.ok();
}

}  // namespace geckoprof
