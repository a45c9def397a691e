// Reading numbers from unwind sections.
#ifndef GECKOPROF_MODULES_CFI_READER_H_
#define GECKOPROF_MODULES_CFI_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace geckoprof {

// CfiReader is a cursor over borrowed bytes that never leaves them. A read beyond the end returns 0 and moves the
// cursor to the end. The reader remembers the failure, so callers check ok() once after a group of reads.
class CfiReader {
 public:
  CfiReader() = default;
  CfiReader(const uint8_t* bytes, size_t size_bytes) : position_(bytes), end_(bytes + size_bytes) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return position_ == end_; }
  size_t remaining() const { return static_cast<size_t>(end_ - position_); }
  const uint8_t* position() const { return position_; }

  template <typename Number>
  Number Fixed() {
    Number value{};
    if (remaining() < sizeof value) return Fail(), value;
    std::memcpy(&value, position_, sizeof value);
    position_ += sizeof value;
    return value;
  }
  uint8_t U8() {
    if (AtEnd()) return Fail(), uint8_t{0};
    return *position_++;
  }
  // Reads LEB128 (DWARF 5, 7.6). Bits after the 64th are dropped. A number of more than 10 bytes fails.
  uint64_t Uleb() {
    if (!AtEnd() && *position_ < 0x80) return *position_++;
    unsigned shift;
    uint8_t last;
    return Leb(shift, last);
  }
  int64_t Sleb() {
    unsigned shift;
    uint8_t last;
    uint64_t value = Leb(shift, last);
    if ((last & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }
  void Skip(uint64_t size_bytes) {
    if (size_bytes > remaining()) return Fail();
    position_ += size_bytes;
  }
  // Moves past the next `size_bytes` and returns a reader for them.
  CfiReader ReadBlock(uint64_t size_bytes) {
    if (size_bytes > remaining()) {
      Fail();
      return {};
    }
    const CfiReader part(position_, size_bytes);
    position_ += size_bytes;
    return part;
  }

 private:
  void Fail() {
    ok_ = false;
    position_ = end_;
  }
  uint64_t Leb(unsigned& shift, uint8_t& last) {
    uint64_t value = 0;
    shift = 0;
    do {
      if (shift >= 70) Fail();
      last = U8();
      if (shift < 64) value |= uint64_t{last & 0x7fu} << shift;
      shift += 7;
    } while ((last & 0x80) != 0);
    return ok_ ? value : 0;
  }

  const uint8_t* position_ = nullptr;
  const uint8_t* end_ = nullptr;
  bool ok_ = true;
};

// Encoded pointers in unwind sections (Linux Standard Base, "DWARF Exception Header Encoding").

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

#endif  // GECKOPROF_MODULES_CFI_READER_H_
