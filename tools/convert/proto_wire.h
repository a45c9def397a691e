// The wire format of protobuf (protobuf.dev, "Encoding"). The few fields that are needed of large schemas take less
// code here than generated code and its library would.
//
//   field: varint(number << 3 | kind) then   kind 0: a varint
//                                            kind 1: 8 bytes, little endian
//                                            kind 2: varint(size) and so many bytes: text, a message, packed numbers
#ifndef GECKOPROF_TOOLS_CONVERT_PROTO_WIRE_H_
#define GECKOPROF_TOOLS_CONVERT_PROTO_WIRE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// ProtoWriter appends messages to a string. Threads: one at a time. Example:
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
  // Writes a repeated number, or nothing for an empty list.
  void Packed(uint32_t field, const std::vector<uint64_t>& numbers);
  void PackedFixed64(uint32_t field, const std::vector<uint64_t>& numbers);

  // Begin and End enclose the fields of a message. End takes the result of Begin, innermost first. A message of up to
  // 127 bytes, as most are, is not moved.
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

// ProtoReader walks over the fields of one message. A field is what its bytes say. The number of a text is 0, and the
// text of a number is empty. Hostile input: every length is checked against the remaining bytes. The walk ends at the
// first field that makes no sense, and failed() is then true.
// Lifetime: a view of the bytes.
// Example:
//   for (ProtoReader reader(bytes); reader.Next();) {
//     if (reader.field() == 1) name = reader.bytes();
//   }
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  // Goes to the next field. Returns false at the end, or if the rest makes no sense.
  bool Next();
  bool failed() const { return failed_; }

  uint32_t field() const { return field_; }
  bool is_number() const { return is_number_; }
  uint64_t number() const { return number_; }
  // Returns the bytes of a text, a message or packed numbers.
  std::string_view bytes() const { return bytes_; }

  // Appends the number, or each of the packed ones (varints). Returns false if they make no sense.
  bool AppendNumbers(std::vector<uint64_t>* numbers) const;

 private:
  std::string_view rest_;
  uint32_t field_ = 0;
  uint64_t number_ = 0;
  std::string_view bytes_;
  bool is_number_ = false;
  bool failed_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROTO_WIRE_H_
