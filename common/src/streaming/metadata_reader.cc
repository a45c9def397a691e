#include "metadata_reader.h"

#include "geckoprof/entries/entry_format.h"

namespace geckoprof {

// Ids are given in rising order, so the tables are sorted and nearly always dense: the guess hits.
int32_t MetadataReader::Lookup(const std::vector<Numbered>& table, uint64_t id) {
  if (id != 0 && id <= table.size() && table[id - 1].id == id) return table[id - 1].row;
  for (const Numbered& entry : table) {
    if (entry.id == id) return entry.row;
  }
  return kNone;
}

int32_t MetadataReader::ThreadByIndex(uint64_t index) const { return Lookup(threads_, index); }
int32_t MetadataReader::InternedString(uint64_t id) const { return Lookup(strings_, id); }

int32_t MetadataReader::ThreadByTid(int32_t tid, int64_t time_ns) {
  int32_t found = kNone;
  for (size_t i = 0; i < profile_.threads.size(); ++i) {
    const ThreadRow& thread = profile_.threads[i];
    if (thread.tid != tid) continue;
    found = static_cast<int32_t>(i);
    if (thread.unregistered_ns == 0 || time_ns <= thread.unregistered_ns) return found;
  }
  if (found != kNone) return found;
  ThreadRow thread;  // it ended before the sampler saw it
  thread.tid = tid;
  thread.registered_ns = time_ns;
  thread.unregistered_ns = time_ns;
  profile_.threads.push_back(thread);
  return static_cast<int32_t>(profile_.threads.size() - 1);
}

bool MetadataReader::Read(std::span<const uint8_t> entry) {
  Leb128Reader reader(entry);
  switch (static_cast<EntryType>(reader.Byte())) {
    case EntryType::kString: {
      const uint64_t id = reader.Uleb();
      const std::string_view text = ReadText(reader);
      if (reader.ok()) strings_.push_back({id, tables_.String(text)});
      return reader.ok();
    }
    case EntryType::kThread:
      return ReadThread(reader);
    case EntryType::kThreadName: {
      const int32_t row = ThreadByIndex(reader.Uleb());
      const std::string_view name = ReadText(reader);
      if (reader.ok() && row != kNone) profile_.threads[static_cast<size_t>(row)].name = name;
      return reader.ok() && row != kNone;
    }
    case EntryType::kThreadEnd: {
      const int32_t row = ThreadByIndex(reader.Uleb());
      const uint64_t ended_ns = reader.Uleb();
      if (reader.ok() && row != kNone)
        profile_.threads[static_cast<size_t>(row)].unregistered_ns = static_cast<int64_t>(ended_ns);
      return reader.ok() && row != kNone;
    }
    case EntryType::kModule:
      return ReadModule(reader);
    case EntryType::kModuleEnd: {
      const int32_t row = Lookup(modules_, reader.Uleb());
      const uint64_t unmapped_ns = reader.Uleb();
      if (reader.ok() && row != kNone)
        profile_.libraries[static_cast<size_t>(row)].unmapped_ns = static_cast<int64_t>(unmapped_ns);
      return reader.ok() && row != kNone;
    }
    case EntryType::kProcess:
      return ReadProcess(reader);
    case EntryType::kFilters: {
      for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) {
        const std::string_view filter = ReadText(reader);
        if (reader.ok()) profile_.filters.emplace_back(filter);
      }
      return reader.ok();
    }
    case EntryType::kPause:
      return ReadPause(reader);
    case EntryType::kProblem: {
      const std::string_view text = ReadText(reader);
      if (reader.ok()) profile_.problems.emplace_back(text);
      return reader.ok();
    }
    default:
      return true;  // of a later version
  }
}

bool MetadataReader::ReadThread(Leb128Reader& reader) {
  const uint64_t index = reader.Uleb();
  ThreadRow thread;
  thread.tid = static_cast<int32_t>(reader.Uleb());
  thread.is_main = (reader.Uleb() & kThreadIsMain) != 0;
  thread.registered_ns = static_cast<int64_t>(reader.Uleb());
  thread.name = ReadText(reader);
  if (!reader.ok()) return false;
  threads_.push_back({index, static_cast<int32_t>(profile_.threads.size())});
  profile_.threads.push_back(std::move(thread));
  return true;
}

bool MetadataReader::ReadModule(Leb128Reader& reader) {
  const uint64_t id = reader.Uleb();
  LibraryRow library;
  library.mapped_ns = static_cast<int64_t>(reader.Uleb());
  library.start_avma = reader.Uleb();
  library.end_avma = reader.Uleb();
  library.bias = static_cast<uint64_t>(reader.Zigzag());
  library.path = ReadText(reader);
  library.build_id = ReadText(reader);
  if (!reader.ok() || library.start_avma >= library.end_avma) return false;
  modules_.push_back({id, static_cast<int32_t>(profile_.libraries.size())});
  profile_.libraries.push_back(std::move(library));
  return true;
}

bool MetadataReader::ReadProcess(Leb128Reader& reader) {
  profile_.executable = ReadText(reader);
  profile_.arguments.clear();
  for (uint64_t left = reader.Uleb(); left > 0 && reader.ok(); --left) {
    const std::string_view argument = ReadText(reader);
    if (reader.ok()) profile_.arguments.emplace_back(argument);
  }
  return reader.ok();
}

bool MetadataReader::ReadPause(Leb128Reader& reader) {
  PausedRange range;
  range.start_ns = static_cast<int64_t>(reader.Uleb());
  range.end_ns = static_cast<int64_t>(reader.Uleb());
  range.reason = ReadText(reader);
  if (reader.ok()) profile_.paused.push_back(std::move(range));
  return reader.ok();
}

}  // namespace geckoprof
