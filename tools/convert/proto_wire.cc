#include "tools/convert/proto_wire.h"

#include <bit>

namespace geckoprof {
namespace {

size_t VarintBytes(uint64_t number) {
  size_t bytes = 1;
  for (; number >= 0x80; number >>= 7) ++bytes;
  return bytes;
}

void AppendFixed64(uint64_t number, std::string* out) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  out->append(bytes, sizeof bytes);
}

}  // namespace

void ProtoWriter::Fixed64(uint32_t field, uint64_t number) {
  Tag(field, 1);
  AppendFixed64(number, out_);
}

void ProtoWriter::Double(uint32_t field, double number) { Fixed64(field, std::bit_cast<uint64_t>(number)); }

void ProtoWriter::Text(uint32_t field, std::string_view text) {
  Tag(field, 2);
  Raw(text.size());
  out_->append(text);
}

void ProtoWriter::Packed(uint32_t field, const std::vector<uint64_t>& numbers) {
  if (numbers.empty()) return;
  size_t bytes = 0;
  for (const uint64_t number : numbers) bytes += VarintBytes(number);
  Tag(field, 2);
  Raw(bytes);
  for (const uint64_t number : numbers) Raw(number);
}

void ProtoWriter::PackedFixed64(uint32_t field, const std::vector<uint64_t>& numbers) {
  if (numbers.empty()) return;
  Tag(field, 2);
  Raw(numbers.size() * sizeof(uint64_t));
  for (const uint64_t number : numbers) AppendFixed64(number, out_);
}

void ProtoWriter::End(size_t begin) {
  size_t size_bytes = out_->size() - begin;
  std::string length;
  for (; size_bytes >= 0x80; size_bytes >>= 7) length.push_back(static_cast<char>(size_bytes | 0x80));
  length.push_back(static_cast<char>(size_bytes));
  (*out_)[begin - 1] = length[0];
  if (length.size() > 1) out_->insert(begin, length, 1, std::string::npos);
}

namespace {

// Takes a varint off the front; false where there is none of up to 64 bits.
bool TakeVarint(std::string_view* rest, uint64_t* number) {
  *number = 0;
  for (size_t i = 0; i < rest->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*rest)[i]);
    *number |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      rest->remove_prefix(i + 1);
      return i < 9 || byte <= 1;
    }
  }
  return false;
}

bool TakeFixed(std::string_view* rest, size_t size_bytes, uint64_t* number) {
  if (rest->size() < size_bytes) return false;
  *number = 0;
  for (size_t i = 0; i < size_bytes; ++i) *number |= uint64_t{static_cast<unsigned char>((*rest)[i])} << (8 * i);
  rest->remove_prefix(size_bytes);
  return true;
}

}  // namespace

bool ProtoReader::Next() {
  if (failed_ || rest_.empty()) return false;
  uint64_t tag = 0;
  failed_ = true;  // until the field is complete
  if (!TakeVarint(&rest_, &tag) || tag >> 3 == 0 || tag >> 32 != 0) return false;
  field_ = static_cast<uint32_t>(tag >> 3);
  number_ = 0;
  bytes_ = {};
  is_number_ = true;
  switch (tag & 7) {
    case 0:
      failed_ = !TakeVarint(&rest_, &number_);
      break;
    case 1:
      failed_ = !TakeFixed(&rest_, 8, &number_);
      break;
    case 5:
      failed_ = !TakeFixed(&rest_, 4, &number_);
      break;
    case 2: {
      uint64_t size_bytes = 0;
      if (!TakeVarint(&rest_, &size_bytes) || size_bytes > rest_.size()) return false;
      bytes_ = rest_.substr(0, size_bytes);
      rest_.remove_prefix(size_bytes);
      is_number_ = false;
      failed_ = false;
      break;
    }
    default:  // groups, which nobody writes any more
      break;
  }
  return !failed_;
}

bool ProtoReader::AppendNumbers(std::vector<uint64_t>* numbers) const {
  if (is_number_) {
    numbers->push_back(number_);
    return true;
  }
  std::string_view rest = bytes_;
  while (!rest.empty()) {
    uint64_t number = 0;
    if (!TakeVarint(&rest, &number)) return false;
    numbers->push_back(number);
  }
  return true;
}

}  // namespace geckoprof
