#ifndef GECKOPROF_TOOLS_CONVERT_PROTO_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PROTO_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// ProtoWriter: appends messages in protobuf's wire format (protobuf.dev, "Encoding") to a string. The three formats
// that need it use a few fields of large schemas: for them this is less than generated code and its library would be.
//
//   field: varint(number << 3 | kind) then   kind 0: a varint
//                                            kind 1: 8 bytes, little endian
//                                            kind 2: varint(size) and so many bytes: text, a message, packed numbers
// Threads: one at a time. Example:
//   std::string bytes;
//   ProtoWriter writer(&bytes);
//   writer.Varint(1, 150);
//   const size_t inner = writer.Begin(2);   // a message in field 2
//   writer.Text(1, "name");
//   writer.End(inner);
class ProtoWriter {
 public:
  explicit ProtoWriter(std::string* out) : out_(out) {}

  void Varint(uint32_t field, uint64_t number) {
    Tag(field, 0);
    Raw(number);
  }
  // Negative numbers take ten bytes, as the format has it for int32 and int64.
  void Int(uint32_t field, int64_t number) { Varint(field, static_cast<uint64_t>(number)); }
  void Fixed64(uint32_t field, uint64_t number);
  void Double(uint32_t field, double number);
  void Text(uint32_t field, std::string_view text);
  // A repeated number; nothing where there is none.
  void Packed(uint32_t field, const std::vector<uint64_t>& numbers);
  void PackedFixed64(uint32_t field, const std::vector<uint64_t>& numbers);

  // A message: what is written between the two is in it. End takes what Begin returned, innermost first. A message of
  // up to 127 bytes, as most are, is not moved.
  size_t Begin(uint32_t field) {
    Tag(field, 2);
    out_->push_back('\0');
    return out_->size();
  }
  void End(size_t begin);

 private:
  void Tag(uint32_t field, uint32_t kind) { Raw(uint64_t{field} << 3 | kind); }
  void Raw(uint64_t number) {
    while (number >= 0x80) {
      out_->push_back(static_cast<char>(number | 0x80));
      number >>= 7;
    }
    out_->push_back(static_cast<char>(number));
  }

  std::string* out_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROTO_WRITER_H_
