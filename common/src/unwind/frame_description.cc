#include "geckoprof/unwind/frame_description.h"

#include <cstring>
#include <string_view>

#include "geckoprof/unwind/fde_finder.h"

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
  body.reader = reader.ReadBlock(length);
  if (!reader.ok()) return EntryKind::kDamaged;
  body.end_offset = body.offset + length;
  return EntryKind::kFde;
}

// Returns the field that tells a CIE from an FDE. The form with lengths of 64 bits is in use in .eh_frame alone.
uint32_t CieMark(const SectionBytes& section) { return section.is_debug_frame ? 0xffffffff : 0; }

// Reads the letters after 'z' in a CIE's augmentation (Linux Standard Base, "Augmentation String Format"). Returns
// false for an unknown letter, because its data may precede the data that we need.
bool ReadAugmentation(std::string_view letters, CfiReader data, CommonInformation& common) {
  for (const char letter : letters) {
    switch (letter) {
      case 'L':
        data.U8();
        break;
      case 'P':
        if (!SkipPointer(data, data.U8())) return false;
        break;
      case 'R':
        common.pointer_encoding = data.U8();
        break;
      case 'S':
        common.is_signal_frame = true;
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

// Reads the part of an FDE after the distance to its CIE. `description` already has the CIE.
bool ReadFdeBody(const SectionBytes& eh_frame, EntryBody& body, FrameDescription& description) {
  CfiReader& reader = body.reader;
  const auto svma = [&] { return eh_frame.svma + (body.end_offset - reader.remaining()); };
  uint64_t range = 0;
  if (!ReadPointer(reader, description.pointer_encoding, {svma(), 0}, description.start_svma) ||
      !ReadPointer(reader, description.pointer_encoding & kPointerFormatMask, {}, range)) {
    return false;
  }
  description.end_svma = description.start_svma + range;
  if (description.has_augmentation_data) reader.Skip(reader.Uleb());
  description.instruction_bases = {svma(), 0};
  description.is_of_debug_frame = eh_frame.is_debug_frame;
  description.instructions = reader;
  return reader.ok();
}

// Reads up to the field of the CIE and gives the CIE's offset.
EntryKind ReadHead(const SectionBytes& eh_frame, uint64_t offset, EntryBody& body, uint64_t& cie_offset) {
  const EntryKind kind = ReadLength(eh_frame, offset, body);
  if (kind != EntryKind::kFde) return kind;
  const uint32_t field = body.reader.Fixed<uint32_t>();
  if (!body.reader.ok()) return EntryKind::kDamaged;
  if (field == CieMark(eh_frame)) return EntryKind::kCie;
  if (!eh_frame.is_debug_frame && field > body.offset) return EntryKind::kDamaged;
  cie_offset = eh_frame.is_debug_frame ? field : body.offset - field;
  return EntryKind::kFde;
}

}  // namespace

bool ReadCommonInformation(const SectionBytes& eh_frame, uint64_t offset, CommonInformation& common) {
  common = CommonInformation();
  EntryBody body;
  if (ReadLength(eh_frame, offset, body) != EntryKind::kFde) return false;
  CfiReader& reader = body.reader;
  if (reader.Fixed<uint32_t>() != CieMark(eh_frame)) return false;
  const uint8_t version = reader.U8();
  if (version != 1 && version != 3 && version != 4) return false;
  const void* nul = std::memchr(reader.position(), 0, reader.remaining());
  if (nul == nullptr) return false;
  const auto* text = reinterpret_cast<const char*>(reader.position());
  const std::string_view augmentation(text, static_cast<size_t>(static_cast<const char*>(nul) - text));
  reader.Skip(augmentation.size() + 1);
  if (version == 4) reader.Skip(2);  // address and segment selector sizes
  common.code_alignment = reader.Uleb();
  common.data_alignment = reader.Sleb();
  common.return_address_column = version == 1 ? reader.U8() : reader.Uleb();
  if (!augmentation.empty()) {
    if (augmentation[0] != 'z') return false;
    const CfiReader data = reader.ReadBlock(reader.Uleb());
    if (!reader.ok() || !ReadAugmentation(augmentation.substr(1), data, common)) return false;
    common.has_augmentation_data = true;
  }
  common.initial_instructions = reader;
  return reader.ok();
}

EntryKind ReadEntry(const SectionBytes& eh_frame, uint64_t offset, FrameDescription& description,
                    uint64_t& next_offset) {
  next_offset = offset;
  EntryBody body;
  uint64_t cie_offset = 0;
  const EntryKind kind = ReadHead(eh_frame, offset, body, cie_offset);
  if (body.end_offset != 0) next_offset = body.end_offset;
  if (kind != EntryKind::kFde) return kind;
  description = FrameDescription();
  return ReadCommonInformation(eh_frame, cie_offset, description) && ReadFdeBody(eh_frame, body, description)
             ? EntryKind::kFde
             : EntryKind::kDamaged;
}

bool ReadFde(const SectionBytes& eh_frame, uint64_t offset, CieCache& cies, uint32_t module_id,
             FrameDescription& description) {
  EntryBody body;
  uint64_t cie_offset = 0;
  return ReadHead(eh_frame, offset, body, cie_offset) == EntryKind::kFde &&
         cies.Read(module_id, eh_frame, cie_offset, description) && ReadFdeBody(eh_frame, body, description);
}

}  // namespace geckoprof
