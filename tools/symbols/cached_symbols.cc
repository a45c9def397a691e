#include "tools/symbols/cached_symbols.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "geckoprof/base/utf8_repair.h"
#include "geckoprof/gecko_json/gecko_text.h"
#include "tools/support/gzip_compress.h"

namespace geckoprof {
namespace {

// A program whose parts lie in thousands of .dwo files, each looked for at a few places. More are not looked at each
// time: it would take longer than what it saves.
constexpr size_t kMostFiles = 65536;
constexpr size_t kCrcEnd = offsetof(SymbolFileHeader, crc) + sizeof(uint32_t);

// `row`: of a table of T at `table`, which was checked to be there.
template <typename T>
T RowAt(std::string_view bytes, uint64_t table, uint64_t row) {
  T value;
  std::memcpy(&value, bytes.data() + table + row * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void AppendRow(std::string* bytes, const T& value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

absl::Status Damaged() { return absl::InvalidArgumentError("no sound file of the symbol cache"); }

}  // namespace

// Puts a file together: rows first, with the numbers of their strings.
class CachedSymbols::Encoder {
 public:
  void AddOrigin(const Origin& origin) {
    for (const FileIdentity& file : origin.files) {
      AppendRow(&files_, SymbolFileFile{file.size_bytes, file.inode, file.modified_ns, file.changed_ns,
                                        String(file.path), file.exists ? 1u : 0u});
    }
    for (const std::string& setting : origin.settings) AppendRow(&settings_, String(setting));
    for (const std::string& problem : origin.problems) AppendRow(&problems_, String(problem));
    header_.files = static_cast<uint32_t>(origin.files.size());
    header_.settings = static_cast<uint32_t>(origin.settings.size());
    header_.problems = static_cast<uint32_t>(origin.problems.size());
    header_.first_mapped_svma = origin.first_mapped_svma;
    header_.flags =
        (origin.has_lines ? kSymbolFileHasLines : 0) | (origin.server_had_none ? kSymbolFileServerHadNone : 0);
  }

  void AddAddress(uint64_t svma, const AddressSymbols* found) {
    SymbolFileAddress row = {};
    row.svma = svma;
    if (found != nullptr) {
      row.start_svma = found->start_svma;
      row.size_bytes = found->size_bytes;
      row.symbol = String(found->symbol);
      row.first_frame = header_.frames;
      row.frames = static_cast<uint32_t>(found->frames.size());
      header_.frames += row.frames;
      for (const SymbolFrame& frame : found->frames) {
        AppendRow(&frames_, SymbolFileFrame{String(frame.name), String(frame.file), frame.line, frame.column});
      }
    }
    ++header_.addresses;
    AppendRow(&addresses_, row);
  }

  uint64_t size_bytes() const {
    return sizeof(header_) + addresses_.size() + files_.size() + frames_.size() + settings_.size() + problems_.size() +
           ends_.size() + text_.size();
  }

  std::string Bytes(std::string_view build_id) {
    std::memcpy(header_.magic, kSymbolFileMagic, sizeof(header_.magic));
    header_.header_bytes = sizeof(header_);
    header_.version = kSymbolFileVersion;
    const std::string hex = CodeId(build_id);
    header_.build_id = String(hex);
    header_.strings = static_cast<uint32_t>(numbers_.size());
    header_.text_bytes = static_cast<uint32_t>(text_.size());
    std::string bytes;
    bytes.reserve(size_bytes());
    AppendRow(&bytes, header_);
    for (const std::string* part : {&addresses_, &files_, &frames_, &settings_, &problems_, &ends_, &text_}) {
      bytes += *part;
    }
    const uint32_t crc = Crc32(0, std::string_view(bytes).substr(kCrcEnd));
    std::memcpy(bytes.data() + offsetof(SymbolFileHeader, crc), &crc, sizeof(crc));
    return bytes;
  }

 private:
  uint32_t String(std::string_view text) {
    const auto [entry, is_new] = numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size()));
    if (is_new) {
      text_ += text;
      AppendRow(&ends_, static_cast<uint32_t>(text_.size()));
    }
    return entry->second;
  }

  SymbolFileHeader header_ = {};
  std::string addresses_, files_, frames_, settings_, problems_, ends_, text_;
  absl::flat_hash_map<std::string_view, uint32_t> numbers_;  // of texts that outlive this
};

absl::StatusOr<std::unique_ptr<CachedSymbols>> CachedSymbols::Decode(std::string bytes, std::string_view build_id) {
  auto symbols = std::make_unique<CachedSymbols>(Origin());
  symbols->bytes_ = std::move(bytes);
  if (absl::Status status = symbols->Read(build_id); !status.ok()) return status;
  return symbols;
}

absl::Status CachedSymbols::Read(std::string_view build_id) {
  if (bytes_.size() < sizeof(header_)) return Damaged();
  SymbolFileHeader header;
  std::memcpy(&header, bytes_.data(), sizeof(header));
  if (std::memcmp(header.magic, kSymbolFileMagic, sizeof(header.magic)) != 0 || header.header_bytes != sizeof(header) ||
      header.version != kSymbolFileVersion || header.crc != Crc32(0, std::string_view(bytes_).substr(kCrcEnd)) ||
      (header.flags & ~kSymbolFileFlags) != 0) {
    return Damaged();
  }
  // Numbers of 32 bits times less than 64: no sum here comes near 64 bits.
  addresses_at_ = sizeof(header);
  files_at_ = addresses_at_ + uint64_t{header.addresses} * sizeof(SymbolFileAddress);
  frames_at_ = files_at_ + uint64_t{header.files} * sizeof(SymbolFileFile);
  settings_at_ = frames_at_ + uint64_t{header.frames} * sizeof(SymbolFileFrame);
  problems_at_ = settings_at_ + uint64_t{header.settings} * sizeof(uint32_t);
  ends_at_ = problems_at_ + uint64_t{header.problems} * sizeof(uint32_t);
  text_at_ = ends_at_ + uint64_t{header.strings} * sizeof(uint32_t);
  if (text_at_ + header.text_bytes != bytes_.size()) return Damaged();
  header_ = header;
  if (!ReadStrings() || !FramesAreSound() || !AddressesAreSound() || !ReadOrigin()) return Damaged();
  if (!IsString(header.build_id) || String(header.build_id) != CodeId(build_id)) return Damaged();
  return absl::OkStatus();
}

bool CachedSymbols::ReadStrings() {
  uint32_t end = 0;
  is_utf8_.reserve(header_.strings);
  for (uint32_t i = 0; i < header_.strings; ++i) {
    const uint32_t start = std::exchange(end, RowAt<uint32_t>(bytes_, ends_at_, i));
    if (end < start || end > header_.text_bytes) return false;
    is_utf8_.push_back(IsUtf8(String(i)));
  }
  return end == header_.text_bytes;
}

std::string_view CachedSymbols::String(uint32_t number) const {
  const uint32_t start = number > 0 ? RowAt<uint32_t>(bytes_, ends_at_, number - 1) : 0;
  return std::string_view(bytes_).substr(text_at_ + start, RowAt<uint32_t>(bytes_, ends_at_, number) - start);
}

bool CachedSymbols::FramesAreSound() const {
  for (uint32_t i = 0; i < header_.frames; ++i) {
    const auto frame = RowAt<SymbolFileFrame>(bytes_, frames_at_, i);
    if (!IsString(frame.name) || !IsString(frame.file) || !is_utf8_[frame.name] || !is_utf8_[frame.file]) return false;
    if (String(frame.name).empty()) return false;
  }
  return true;
}

bool CachedSymbols::AddressesAreSound() const {
  uint64_t last_svma = 0;
  uint32_t next_frame = 0;  // each frame belongs to one address, in their order
  for (uint32_t i = 0; i < header_.addresses; ++i) {
    const auto address = RowAt<SymbolFileAddress>(bytes_, addresses_at_, i);
    const uint64_t before = std::exchange(last_svma, address.svma);
    if ((i > 0 && address.svma <= before) || address.zero != 0) return false;
    if (address.frames == 0) {
      if ((address.start_svma | address.size_bytes | address.symbol | address.first_frame) != 0) return false;
      continue;
    }
    if (!IsString(address.symbol) || !is_utf8_[address.symbol]) return false;
    if (address.first_frame != next_frame || address.frames > header_.frames - next_frame) return false;
    next_frame += address.frames;
  }
  return next_frame == header_.frames;
}

bool CachedSymbols::ReadOrigin() {
  if (header_.files > kMostFiles) return false;
  for (uint32_t i = 0; i < header_.files; ++i) {
    const auto file = RowAt<SymbolFileFile>(bytes_, files_at_, i);
    if (!IsString(file.path) || file.exists > 1) return false;
    origin_.files.push_back({std::string(String(file.path)), file.exists == 1, file.size_bytes, file.inode,
                             file.modified_ns, file.changed_ns});
  }
  const auto read_texts = [this](uint64_t table, uint32_t count, std::vector<std::string>* texts) {
    for (uint32_t i = 0; i < count; ++i) {
      const auto number = RowAt<uint32_t>(bytes_, table, i);
      if (!IsString(number)) return false;
      texts->emplace_back(String(number));
    }
    return true;
  };
  origin_.first_mapped_svma = header_.first_mapped_svma;
  origin_.has_lines = (header_.flags & kSymbolFileHasLines) != 0;
  origin_.server_had_none = (header_.flags & kSymbolFileServerHadNone) != 0;
  return read_texts(settings_at_, header_.settings, &origin_.settings) &&
         read_texts(problems_at_, header_.problems, &origin_.problems);
}

bool CachedSymbols::IsCurrent(const std::vector<std::string>& settings) const {
  return !origin_.server_had_none && origin_.settings == settings &&
         std::all_of(origin_.files.begin(), origin_.files.end(), [](const auto& file) { return file.IsStillSo(); });
}

std::unique_ptr<AddressSymbols> CachedSymbols::Made(const SymbolFileAddress& address) const {
  if (address.frames == 0) return nullptr;
  auto made = std::make_unique<AddressSymbols>();
  made->symbol = String(address.symbol);
  made->start_svma = address.start_svma;
  made->size_bytes = address.size_bytes;
  made->frames.reserve(address.frames);
  for (uint32_t i = 0; i < address.frames; ++i) {
    const auto frame = RowAt<SymbolFileFrame>(bytes_, frames_at_, uint64_t{address.first_frame} + i);
    made->frames.push_back({String(frame.name), String(frame.file), frame.line, frame.column});
  }
  return made;
}

std::optional<const AddressSymbols*> CachedSymbols::Find(uint64_t svma) {
  if (const auto known = known_.find(svma); known != known_.end()) return known->second;
  uint32_t low = 0, high = header_.addresses;  // the first that is not before it
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (RowAt<SymbolFileAddress>(bytes_, addresses_at_, middle).svma < svma) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == header_.addresses) return std::nullopt;
  const auto address = RowAt<SymbolFileAddress>(bytes_, addresses_at_, low);
  if (address.svma != svma) return std::nullopt;
  made_.push_back(Made(address));
  known_.emplace(svma, made_.back().get());
  return made_.back().get();
}

void CachedSymbols::Add(uint64_t svma, const AddressSymbols* found) {
  known_.insert_or_assign(svma, found);
  has_new_ = true;
}

void CachedSymbols::AddFiles(const std::vector<FileIdentity>& files) {
  absl::flat_hash_map<std::string, bool> has_path;
  for (const FileIdentity& file : origin_.files) has_path[file.path] = true;
  for (const FileIdentity& file : files) {
    if (!std::exchange(has_path[file.path], true)) origin_.files.push_back(file);
  }
}

void CachedSymbols::AddProblems(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) {
    const auto end = origin_.problems.end();
    if (std::find(origin_.problems.begin(), end, problem) == end) origin_.problems.push_back(problem);
  }
}

absl::StatusOr<std::string> CachedSymbols::Encode(std::string_view build_id, uint64_t most_bytes) const {
  std::vector<std::unique_ptr<AddressSymbols>> made;
  std::vector<std::pair<uint64_t, const AddressSymbols*>> rows(known_.begin(), known_.end());
  for (uint32_t i = 0; i < header_.addresses; ++i) {
    const auto address = RowAt<SymbolFileAddress>(bytes_, addresses_at_, i);
    if (known_.contains(address.svma)) continue;
    made.push_back(Made(address));
    rows.emplace_back(address.svma, made.back().get());
  }
  std::sort(rows.begin(), rows.end());
  const auto is_storable = [](const AddressSymbols* found) {
    return found == nullptr || (IsUtf8(found->symbol) &&
                                std::all_of(found->frames.begin(), found->frames.end(), [](const SymbolFrame& frame) {
                                  return !frame.name.empty() && IsUtf8(frame.name) && IsUtf8(frame.file);
                                }));
  };
  const absl::Status too_large = absl::ResourceExhaustedError("more than a file of the symbol cache may have");
  if (origin_.files.size() > kMostFiles) return too_large;
  Encoder encoder;
  encoder.AddOrigin(origin_);
  for (const auto& [svma, found] : rows) {
    if (is_storable(found)) encoder.AddAddress(svma, found);
    if (encoder.size_bytes() > most_bytes) return too_large;
  }
  std::string bytes = encoder.Bytes(build_id);
  if (bytes.size() > most_bytes) return too_large;
  return bytes;
}

}  // namespace geckoprof
