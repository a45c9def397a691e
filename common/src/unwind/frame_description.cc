#include "geckoprof/unwind/frame_description.h"

#include <cstring>
#include <string_view>

namespace geckoprof {

namespace {

struct EntryBody {
  CfiReader reader;     // behind the length field
  uint64_t offset = 0;  // of the reader's first byte in the section
  uint64_t end_offset = 0;
};

EntryKind ReadLength(const SectionBytes& section, uint64_t offset, EntryBody& body) {
  if (offset > section.size_bytes) return EntryKind::kDamaged;
  CfiReader reader(section.data + offset, section.size_bytes - offset);
  if (reader.AtEnd()) return EntryKind::kEnd;
  uint64_t length = reader.Fixed<uint32_t>();
  if (length == 0xffffffff) length = reader.Fixed<uint64_t>();
  if (!reader.ok()) return EntryKind::kDamaged;
  if (length == 0) return EntryKind::kEnd;
  body.offset = section.size_bytes - reader.remaining();
  body.reader = reader.Take(length);
  if (!reader.ok()) return EntryKind::kDamaged;
  body.end_offset = body.offset + length;
  return EntryKind::kFde;
}

// The letters after 'z' in a CIE's augmentation (Linux Standard Base, "Augmentation String Format"). False for an
// unknown letter: what it stands for may stand before what we need.
bool ReadAugmentation(std::string_view letters, CfiReader data, FrameDescription& description) {
  for (const char letter : letters) {
    switch (letter) {
      case 'L':
        data.U8();
        break;
      case 'P':
        if (!SkipPointer(data, data.U8())) return false;
        break;
      case 'R':
        description.pointer_encoding = data.U8();
        break;
      case 'S':
        description.is_signal_frame = true;
        break;
      case 'B':  // aarch64: return addresses are signed with key B
      case 'G':  // aarch64: tagged stack memory
        break;
      default:
        return false;
    }
  }
  return data.ok();
}

bool ReadCie(const SectionBytes& section, uint64_t offset, FrameDescription& description) {
  EntryBody body;
  if (ReadLength(section, offset, body) != EntryKind::kFde) return false;
  CfiReader& reader = body.reader;
  if (reader.Fixed<uint32_t>() != 0) return false;
  const uint8_t version = reader.U8();
  if (version != 1 && version != 3 && version != 4) return false;
  const void* nul = std::memchr(reader.position(), 0, reader.remaining());
  if (nul == nullptr) return false;
  const auto* text = reinterpret_cast<const char*>(reader.position());
  const std::string_view augmentation(text, static_cast<size_t>(static_cast<const char*>(nul) - text));
  reader.Skip(augmentation.size() + 1);
  if (version == 4) reader.Skip(2);  // address and segment selector sizes
  description.code_alignment = reader.Uleb();
  description.data_alignment = reader.Sleb();
  description.return_address_column = version == 1 ? reader.U8() : reader.Uleb();
  if (!augmentation.empty()) {
    if (augmentation[0] != 'z') return false;
    const CfiReader data = reader.Take(reader.Uleb());
    if (!reader.ok() || !ReadAugmentation(augmentation.substr(1), data, description)) return false;
    description.has_augmentation_data = true;
  }
  description.initial_instructions = reader;
  return reader.ok();
}

}  // namespace

EntryKind ReadEntry(const SectionBytes& eh_frame, uint64_t offset, FrameDescription& description,
                    uint64_t& next_offset) {
  next_offset = offset;
  EntryBody body;
  const EntryKind kind = ReadLength(eh_frame, offset, body);
  if (kind != EntryKind::kFde) return kind;
  next_offset = body.end_offset;
  CfiReader& reader = body.reader;
  const uint64_t cie_distance = reader.Fixed<uint32_t>();
  if (!reader.ok() || cie_distance > body.offset) return EntryKind::kDamaged;
  if (cie_distance == 0) return EntryKind::kCie;
  description = FrameDescription();
  if (!ReadCie(eh_frame, body.offset - cie_distance, description)) return EntryKind::kDamaged;

  const auto svma = [&] { return eh_frame.svma + (body.end_offset - reader.remaining()); };
  uint64_t range = 0;
  if (!ReadPointer(reader, description.pointer_encoding, {svma(), 0}, description.start_svma) ||
      !ReadPointer(reader, description.pointer_encoding & kPointerFormatMask, {}, range)) {
    return EntryKind::kDamaged;
  }
  description.end_svma = description.start_svma + range;
  if (description.has_augmentation_data) reader.Skip(reader.Uleb());
  description.instruction_bases = {svma(), 0};
  description.instructions = reader;
  return reader.ok() ? EntryKind::kFde : EntryKind::kDamaged;
}

}  // namespace geckoprof
