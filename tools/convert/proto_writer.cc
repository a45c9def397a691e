#include "tools/convert/proto_writer.h"

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

}  // namespace geckoprof
