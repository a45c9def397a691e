// Encoded pointers in unwind sections (Linux Standard Base, "DWARF Exception Header Encoding").
#ifndef GECKOPROF_MODULES_POINTER_ENCODING_H_
#define GECKOPROF_MODULES_POINTER_ENCODING_H_

#include <cstdint>

#include "geckoprof/modules/cfi_reader.h"

namespace geckoprof {

//   bit 7      indirect: the value is the address of the pointer
//   bits 6..4  base that the value is relative to
//   bits 3..0  format of the value
inline constexpr uint8_t kPointerOmit = 0xff;
inline constexpr uint8_t kPointerIndirect = 0x80;
inline constexpr uint8_t kPointerRelativeMask = 0x70;
inline constexpr uint8_t kPointerPcRelative = 0x10;
inline constexpr uint8_t kPointerDataRelative = 0x30;
inline constexpr uint8_t kPointerFormatMask = 0x0f;
inline constexpr uint8_t kPointerSdata4 = 0x0b;

// The bases of relative pointers.
struct PointerBases {
  uint64_t reader_svma = 0;  // address of the reader's next byte
  uint64_t data_svma = 0;    // start of .eh_frame_hdr; 0 if there is no such base
};

// Reads one pointer into `svma`. Returns false at the end of the bytes or for an encoding without a meaning here. It
// skips an indirect pointer and returns false, too, but the reader stays ok(). No producer encodes code addresses in
// this way.
bool ReadPointer(CfiReader& reader, uint8_t encoding, const PointerBases& bases, uint64_t& svma);

// Skips a pointer of any kind. Returns false if its size is unknown or the bytes end.
bool SkipPointer(CfiReader& reader, uint8_t encoding);

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_POINTER_ENCODING_H_
