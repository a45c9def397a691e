#ifndef GECKOPROF_TOOLS_CONVERT_PROTO_READER_H_
#define GECKOPROF_TOOLS_CONVERT_PROTO_READER_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace geckoprof {

// ProtoReader: walks over the fields of one message in protobuf's wire format. A field is what its bytes say; a number
// asked of a text and the other way round is 0 or empty. Hostile input: every length is checked against what is left;
// the walk ends at the first field that makes no sense, and failed() then says so. Lifetime:  a view of the bytes.
// Example:
//   for (ProtoReader reader(bytes); reader.Next();) {
//     if (reader.field() == 1) name = reader.bytes();
//   }
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}

  // To the next field; false at the end or where the rest makes no sense.
  bool Next();
  bool failed() const { return failed_; }

  uint32_t field() const { return field_; }
  bool is_number() const { return is_number_; }
  uint64_t number() const { return number_; }
  int64_t signed_number() const { return static_cast<int64_t>(number_); }
  // Of a text, a message or packed numbers.
  std::string_view bytes() const { return bytes_; }

  // Appends the number, or each of the packed ones (varints). False: they make no sense.
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

#endif  // GECKOPROF_TOOLS_CONVERT_PROTO_READER_H_
