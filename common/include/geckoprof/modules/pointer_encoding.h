// Pointers as unwind sections write them (Linux Standard Base, "DWARF Exception Header Encoding").
#ifndef GECKOPROF_MODULES_POINTER_ENCODING_H_
#define GECKOPROF_MODULES_POINTER_ENCODING_H_

#include <cstdint>

#include "geckoprof/modules/cfi_reader.h"

namespace geckoprof {

//   bit 7      indirect: the value is the address of the pointer
//   bits 6..4  what the value is relative to
//   bits 3..0  how the value is written
inline constexpr uint8_t kPointerOmit = 0xff;
inline constexpr uint8_t kPointerIndirect = 0x80;
inline constexpr uint8_t kPointerRelativeMask = 0x70;
inline constexpr uint8_t kPointerPcRelative = 0x10;
inline constexpr uint8_t kPointerDataRelative = 0x30;
inline constexpr uint8_t kPointerFormatMask = 0x0f;
inline constexpr uint8_t kPointerSdata4 = 0x0b;

// What relative pointers are relative to.
struct PointerBases {
  uint64_t reader_svma = 0;  // address of the reader's next byte
  uint64_t data_svma = 0;    // start of .eh_frame_hdr; 0 where there is no such base
};

// Reads one pointer; the result is an svma. False at the end of the bytes, or for an encoding that has no meaning here.
// An indirect pointer is passed over, but gives false too, with the reader still ok(): no producer writes code
// addresses so.
bool ReadPointer(CfiReader& reader, uint8_t encoding, const PointerBases& bases, uint64_t& svma);

// Passes over a pointer of any kind. False if its size is unknown or the bytes end.
bool SkipPointer(CfiReader& reader, uint8_t encoding);

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_POINTER_ENCODING_H_
