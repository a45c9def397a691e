#ifndef GECKOPROF_TOOLS_JSON_GROWING_BYTES_H_
#define GECKOPROF_TOOLS_JSON_GROWING_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace geckoprof {

// Asks the system to back memory that is about to be written with pages of 2 MiB. Filling 100 MB then takes 50 page
// faults and not 25,000, which would be a fifth of a report's time. Small memory stays as it is. The system may ignore
// the hint.
void PreferHugePages(void* memory, size_t size_bytes);

// GrowingBytes: bytes one after the other, hundreds of megabytes of them. Unlike a vector's they are pages of their
// own: growing moves these and not the bytes in them, and what was not written yet is not there, so it takes no memory
// for a second copy. Numbers lie unaligned, in the machine's order. Throws std::bad_alloc as a vector does.
class GrowingBytes {
 public:
  GrowingBytes() = default;
  ~GrowingBytes();
  GrowingBytes(const GrowingBytes&) = delete;
  GrowingBytes& operator=(const GrowingBytes&) = delete;

  const uint8_t* data() const { return data_; }
  uint8_t* data() { return data_; }
  size_t size() const { return size_; }

  void Append(const void* bytes, size_t count) {
    if (count > capacity_ - size_) Grow(count);
    if (count != 0) memcpy(data_ + size_, bytes, count);
    size_ += count;
  }
  void AppendByte(uint8_t byte) {
    if (size_ == capacity_) Grow(1);
    data_[size_++] = byte;
  }
  template <typename Number>
  void AppendNumber(Number number) {
    Append(&number, sizeof number);
  }
  // Bytes that the caller writes.
  uint8_t* Extend(size_t count) {
    if (count > capacity_ - size_) Grow(count);
    size_ += count;
    return data_ + size_ - count;
  }
  void Truncate(size_t size) { size_ = size; }
  // Gives back what is not used.
  void Shrink();

 private:
  void Grow(size_t count);

  uint8_t* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

template <typename Number>
Number NumberAt(const uint8_t* bytes) {
  Number number;
  memcpy(&number, bytes, sizeof number);
  return number;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_GROWING_BYTES_H_
