// Entries of marker types and payloads as bytes, sound or not.
#ifndef GECKOPROF_TESTS_STREAMING_ENTRY_BYTES_H_
#define GECKOPROF_TESTS_STREAMING_ENTRY_BYTES_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/entry_format.h"

namespace geckoprof {

// One entry; fill(entry) appends the fields.
class EntryBytes {
 public:
  template <typename Fill>
  EntryBytes(EntryType type, const Fill& fill) : bytes_(4096) {
    EntryBuilder entry(type, bytes_);
    fill(entry);
    bytes_.resize(entry.bytes().size());
  }
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::span<const uint8_t> fields() const { return bytes().subspan(1); }

 private:
  std::vector<uint8_t> bytes_;
};

struct DeclaredField {
  std::string_view key;
  MarkerFieldWire wire;
  uint64_t flags;
};

// A kMarkerType with all its parts. A field with an empty key gets no format.
inline EntryBytes TypeEntry(uint64_t id, std::string_view name, std::initializer_list<DeclaredField> fields,
                            uint64_t flags = 0) {
  return EntryBytes(EntryType::kMarkerType, [&](EntryBuilder& out) {
    out.U(id).U(flags).T(name).T("described").T("chart").T("tooltip").T("table").T("colour");
    out.U(2).T("marker-chart").T("marker-table").U(fields.size());
    for (const DeclaredField& field : fields) {
      out.T(field.key).T("path label").T(field.key.empty() ? "" : "string");
      out.U(static_cast<uint64_t>(field.wire)).U(field.flags);
    }
    out.U(1).T("note").T("value").U(1).T("n").T("line").T("red");
  });
}

// A payload, piece by piece.
class PayloadBytes {
 public:
  PayloadBytes& Byte(uint8_t value) {
    bytes_.push_back(value);
    return *this;
  }
  PayloadBytes& Tag(MarkerValueTag tag) { return Byte(static_cast<uint8_t>(tag)); }
  template <typename Number>
  PayloadBytes& Fixed(Number value) {
    const auto* const from = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
    return *this;
  }
  PayloadBytes& U(uint64_t value) {
    uint8_t room[kMaxLeb128Bytes];
    bytes_.insert(bytes_.end(), room, WriteUleb128(value, room));
    return *this;
  }
  PayloadBytes& Z(int64_t value) { return U(ToZigzag(value)); }
  PayloadBytes& T(std::string_view text) {
    U(text.size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_STREAMING_ENTRY_BYTES_H_
