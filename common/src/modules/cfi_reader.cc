#include "geckoprof/modules/cfi_reader.h"

namespace geckoprof {

namespace {

// Reads the value and extends its sign if the format is signed. Returns false for an unknown format.
bool ReadValue(CfiReader& reader, uint8_t format, uint64_t& value) {
  switch (format) {
    case 0x00:  // absptr has 8 bytes on both architectures
    case 0x04:  // udata8
    case 0x0c:  // sdata8
      value = reader.Fixed<uint64_t>();
      break;
    case 0x01:
      value = reader.Uleb();
      break;
    case 0x02:
      value = reader.Fixed<uint16_t>();
      break;
    case 0x03:
      value = reader.Fixed<uint32_t>();
      break;
    case 0x09:
      value = static_cast<uint64_t>(reader.Sleb());
      break;
    case 0x0a:
      value = static_cast<uint64_t>(int64_t{reader.Fixed<int16_t>()});
      break;
    case kPointerSdata4:
      value = static_cast<uint64_t>(int64_t{reader.Fixed<int32_t>()});
      break;
    default:
      return false;
  }
  return reader.ok();
}

}  // namespace

bool ReadPointer(CfiReader& reader, uint8_t encoding, const PointerBases& bases, uint64_t& svma) {
  if (encoding == kPointerOmit) return false;
  uint64_t value = 0;
  if (!ReadValue(reader, encoding & kPointerFormatMask, value)) return false;
  if ((encoding & kPointerIndirect) != 0) return false;
  switch (encoding & kPointerRelativeMask) {
    case 0x00:
      svma = value;
      return true;
    case kPointerPcRelative:
      svma = value + bases.reader_svma;
      return true;
    case kPointerDataRelative:
      svma = value + bases.data_svma;
      return bases.data_svma != 0;
    default:  // relative to text or to a function, or aligned: no producer writes code addresses so
      return false;
  }
}

bool SkipPointer(CfiReader& reader, uint8_t encoding) {
  if (encoding == kPointerOmit) return true;
  if ((encoding & kPointerRelativeMask) == 0x50) return false;  // aligned pointers have variable padding
  uint64_t ignored = 0;
  return ReadValue(reader, encoding & kPointerFormatMask, ignored);
}

}  // namespace geckoprof
