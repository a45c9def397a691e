#include "geckoprof/entries/metadata_writer.h"

namespace geckoprof {

bool MetadataWriter::Thread(ThreadIndex index, ThreadId tid, bool is_main, int64_t registered_ns,
                            std::string_view name) {
  EntryBuilder entry(EntryType::kThread, room_);
  entry.U(index.ToNumber()).U(static_cast<uint64_t>(tid.ToNumber())).U(is_main ? kThreadIsMain : 0);
  entry.U(static_cast<uint64_t>(registered_ns)).T(name);
  return Append(entry, registered_ns);
}

bool MetadataWriter::ThreadName(ThreadIndex index, std::string_view name) {
  EntryBuilder entry(EntryType::kThreadName, room_);
  return Append(entry.U(index.ToNumber()).T(name), 0);
}

bool MetadataWriter::ThreadEnd(ThreadIndex index, int64_t ended_ns) {
  EntryBuilder entry(EntryType::kThreadEnd, room_);
  return Append(entry.U(index.ToNumber()).U(static_cast<uint64_t>(ended_ns)), ended_ns);
}

bool MetadataWriter::Module(uint32_t id, int64_t mapped_ns, uint64_t start, uint64_t end, uint64_t bias,
                            std::string_view path, std::string_view build_id) {
  EntryBuilder entry(EntryType::kModule, room_);
  entry.U(id).U(static_cast<uint64_t>(mapped_ns)).U(start).U(end).Z(static_cast<int64_t>(bias));
  constexpr size_t kForBuildId = 128;  // room that a very long path must leave
  entry.T(path.substr(0, kLargestEntry / 2)).T(build_id.substr(0, kForBuildId));
  return Append(entry, mapped_ns);
}

bool MetadataWriter::ModuleEnd(uint32_t id, int64_t unmapped_ns) {
  EntryBuilder entry(EntryType::kModuleEnd, room_);
  return Append(entry.U(id).U(static_cast<uint64_t>(unmapped_ns)), unmapped_ns);
}

bool MetadataWriter::Process(std::string_view executable, std::span<const std::string_view> arguments) {
  EntryBuilder entry(EntryType::kProcess, room_);
  entry.T(executable.substr(0, kLargestEntry / 4));
  // Command lines of compilers can be very long. Arguments without room are left out.
  size_t used = executable.size() + 64;
  size_t count = 0;
  while (count < arguments.size() && used + arguments[count].size() + kMaxLeb128Bytes < kLargestEntry) {
    used += std::string_view(arguments[count++]).size() + kMaxLeb128Bytes;
  }
  entry.U(count);
  for (size_t i = 0; i < count; ++i) entry.T(arguments[i]);
  return Append(entry, 0);
}

bool MetadataWriter::Filters(std::span<const std::string_view> filters) {
  EntryBuilder entry(EntryType::kFilters, room_);
  entry.U(filters.size());
  for (const std::string_view filter : filters) entry.T(filter);
  return Append(entry, 0);
}

bool MetadataWriter::Interval(int64_t until_ns, int64_t interval_ns, int64_t limited_share) {
  EntryBuilder entry(EntryType::kInterval, room_);
  entry.U(static_cast<uint64_t>(until_ns)).U(static_cast<uint64_t>(interval_ns));
  return Append(entry.U(static_cast<uint64_t>(limited_share + 1)), until_ns);
}

bool MetadataWriter::Problem(std::string_view text) {
  EntryBuilder entry(EntryType::kProblem, room_);
  return Append(entry.T(text), 0);
}

bool MetadataWriter::Counter(const CounterDefinition& counter) {
  EntryBuilder entry(EntryType::kCounter, room_);
  entry.U(counter.id).U(counter.flags).U(static_cast<uint64_t>(counter.since_ns)).Z(counter.count).Z(counter.number);
  constexpr size_t kMaxText = kLargestEntry / 8;
  for (const std::string_view text :
       {counter.name, counter.category, counter.description, counter.unit, counter.color}) {
    entry.T(text.substr(0, kMaxText));
  }
  return Append(entry, counter.since_ns);
}

bool MetadataWriter::CounterEnd(uint32_t id, int64_t ended_ns, int64_t count, int64_t number) {
  EntryBuilder entry(EntryType::kCounterEnd, room_);
  return Append(entry.U(id).U(static_cast<uint64_t>(ended_ns)).Z(count).Z(number), ended_ns);
}

}  // namespace geckoprof
