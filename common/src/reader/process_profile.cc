#include "geckoprof/reader/process_profile.h"

#include <algorithm>

namespace geckoprof {
namespace {

// Differences wrap, so that any two values have one.
template <typename Number>
int64_t Difference(Number value, Number before) {
  return static_cast<int64_t>(static_cast<uint64_t>(value) - static_cast<uint64_t>(before));
}
template <typename Number>
Number Sum(Number before, int64_t difference) {
  return static_cast<Number>(static_cast<uint64_t>(before) + static_cast<uint64_t>(difference));
}

// These bits are in the number of a sample's stack.
constexpr uint64_t kIsRun = 1, kHasState = 2;

// This byte has the state in its lowest bits and the cause in its highest.
constexpr uint8_t kStateMask = 3, kHasReady = 4, kHasLock = 8;
constexpr unsigned kCauseShift = 4;
static_assert(kWaitCauseNames.size() <= 16);

// These bits are in the first byte of a marker. The phase has the two lowest bits.
constexpr uint8_t kHasEnd = 1 << 2;  // one that is not the start
constexpr uint8_t kHasType = 1 << 3;
constexpr uint8_t kHasStack = 1 << 4;
constexpr uint8_t kHasStackThread = 1 << 5;
constexpr uint8_t kHasStackTime = 1 << 6;
constexpr uint8_t kHasFields = 1 << 7;

// The kind has the lowest bits of a field's first number, the key has the rest.
constexpr unsigned kKindBits = 4;
static_assert(static_cast<unsigned>(MarkerFieldKind::kTagged) < 1u << kKindBits);

}  // namespace

// Most rows stand for one tick of a running thread. Other fields follow if their bit in the stack's number is set.
void SampleCodec::Write(const SampleRow& row, EntryBuilder& out) {
  const bool is_run = row.idle_ticks != 1 || row.apart_ns != 0;
  const bool has_ready = row.ready_ns != 0, has_lock = row.lock_address != 0 || row.holder_tid != 0;
  const auto state = static_cast<uint8_t>(static_cast<uint8_t>(row.state) | (has_ready ? kHasReady : 0) |
                                          (has_lock ? kHasLock : 0) | static_cast<uint8_t>(row.cause) << kCauseShift);
  out.Z(Difference(row.time_ns, last_.time_ns));
  out.U(ToZigzag(Difference(row.stack, last_.stack)) << 2 | (state != 0 ? kHasState : 0) | (is_run ? kIsRun : 0));
  out.Z(row.cpu_delta_ns);
  if (is_run) out.U(row.idle_ticks).Z(row.apart_ns);
  if (state != 0) out.Byte(state);
  if (has_ready) out.Z(row.ready_ns);
  if (has_lock) out.U(row.lock_address).Z(row.holder_tid);
  last_ = row;
}

void SampleCodec::Read(Leb128Reader& in, SampleRow& row) {
  row.time_ns = Sum(last_.time_ns, in.Zigzag());
  const uint64_t stack = in.Uleb();
  row.stack = Sum(last_.stack, FromZigzag(stack >> 2));
  row.cpu_delta_ns = in.Zigzag();
  const bool is_run = (stack & kIsRun) != 0;
  row.idle_ticks = is_run ? static_cast<uint32_t>(in.Uleb()) : 1;
  row.apart_ns = is_run ? in.Zigzag() : 0;
  const uint8_t state = (stack & kHasState) != 0 ? in.Byte() : 0;
  row.state = static_cast<SampleState>(state & kStateMask);
  row.cause = static_cast<WaitCause>(state >> kCauseShift);
  row.ready_ns = (state & kHasReady) != 0 ? in.Zigzag() : 0;
  row.lock_address = (state & kHasLock) != 0 ? in.Uleb() : 0;
  row.holder_tid = (state & kHasLock) != 0 ? static_cast<int32_t>(in.Zigzag()) : 0;
  last_ = row;
}

void LookCodec::Write(const LookRow& row, EntryBuilder& out) {
  out.Z(Difference(row.time_ns, time_ns_)).Z(row.late_ns);
  out.Z(row.upkeep_ns).Z(row.sources_ns).Z(row.threads_ns).Z(row.cpu_ns);
  time_ns_ = row.time_ns;
}

void LookCodec::Read(Leb128Reader& in, LookRow& row) {
  row.time_ns = time_ns_ = Sum(time_ns_, in.Zigzag());
  for (int64_t* const field : {&row.late_ns, &row.upkeep_ns, &row.sources_ns, &row.threads_ns, &row.cpu_ns}) {
    *field = in.Zigzag();
  }
}

void MarkerCodec::Write(const MarkerRow& row, EntryBuilder& out) {
  const auto flag = [](bool is_set, uint8_t bit) { return is_set ? bit : uint8_t{0}; };
  const uint8_t flags = flag(row.end_ns != row.start_ns, kHasEnd) | flag(row.type != kNone, kHasType) |
                        flag(row.stack != kNone, kHasStack) | flag(row.stack_tid != 0, kHasStackThread) |
                        flag(row.stack_time_ns != 0, kHasStackTime) | flag(!row.fields.empty(), kHasFields);
  out.Byte(static_cast<uint8_t>(static_cast<uint8_t>(row.phase) | flags));
  out.Z(row.name).Z(Difference(row.start_ns, start_ns_)).Z(row.category);
  if ((flags & kHasEnd) != 0) out.Z(Difference(row.end_ns, row.start_ns));
  if ((flags & kHasType) != 0) out.Z(row.type);
  if ((flags & kHasStack) != 0) out.Z(row.stack);
  if ((flags & kHasStackThread) != 0) out.Z(row.stack_tid);
  if ((flags & kHasStackTime) != 0) out.Z(row.stack_time_ns);
  if ((flags & kHasFields) != 0) {
    out.U(row.fields.size());
    for (const MarkerField& field : row.fields) WriteField(field, row.start_ns, out);
  }
  start_ns_ = row.start_ns;
}

void MarkerCodec::Read(Leb128Reader& in, MarkerRow& row) {
  const uint8_t flags = in.Byte();
  row.phase = static_cast<MarkerPhase>(flags & 3);
  row.name = static_cast<int32_t>(in.Zigzag());
  row.start_ns = start_ns_ = Sum(start_ns_, in.Zigzag());
  row.category = static_cast<int32_t>(in.Zigzag());
  row.end_ns = (flags & kHasEnd) != 0 ? Sum(row.start_ns, in.Zigzag()) : row.start_ns;
  row.type = (flags & kHasType) != 0 ? static_cast<int32_t>(in.Zigzag()) : kNone;
  row.stack = (flags & kHasStack) != 0 ? static_cast<int32_t>(in.Zigzag()) : kNone;
  row.stack_tid = (flags & kHasStackThread) != 0 ? static_cast<int32_t>(in.Zigzag()) : 0;
  row.stack_time_ns = (flags & kHasStackTime) != 0 ? in.Zigzag() : 0;
  row.fields.resize((flags & kHasFields) != 0 ? static_cast<size_t>(in.Uleb()) : 0);
  for (MarkerField& field : row.fields) ReadField(in, row.start_ns, field);
}

void MarkerCodec::WriteField(const MarkerField& field, int64_t start_ns, EntryBuilder& out) {
  out.U(ToZigzag(field.key) << kKindBits | static_cast<uint64_t>(field.kind));
  switch (field.kind) {
    case MarkerFieldKind::kText:
    case MarkerFieldKind::kTagged:
      out.Z(Difference(field.text, text_));
      text_ = field.text;
      break;
    case MarkerFieldKind::kNumber:
      out.Fixed(field.number);
      break;
    case MarkerFieldKind::kTime:
      out.Z(Difference(field.integer, start_ns));
      break;
    case MarkerFieldKind::kInteger:
    case MarkerFieldKind::kBool:
    case MarkerFieldKind::kNs:
      out.Z(field.integer);
      break;
    case MarkerFieldKind::kUnsigned:
      out.U(static_cast<uint64_t>(field.integer));
      break;
    case MarkerFieldKind::kNull:
      break;
  }
}

void MarkerCodec::ReadField(Leb128Reader& in, int64_t start_ns, MarkerField& field) {
  const uint64_t word = in.Uleb();
  field = {};
  field.key = static_cast<int32_t>(FromZigzag(word >> kKindBits));
  field.kind = static_cast<MarkerFieldKind>(word & ((1u << kKindBits) - 1));
  switch (field.kind) {
    case MarkerFieldKind::kText:
    case MarkerFieldKind::kTagged:
      field.text = text_ = Sum(text_, in.Zigzag());
      break;
    case MarkerFieldKind::kNumber: {
      const std::span<const uint8_t> bytes = in.Bytes(sizeof field.number);
      if (!bytes.empty()) __builtin_memcpy(&field.number, bytes.data(), sizeof field.number);
      break;
    }
    case MarkerFieldKind::kTime:
      field.integer = Sum(start_ns, in.Zigzag());
      break;
    case MarkerFieldKind::kInteger:
    case MarkerFieldKind::kBool:
    case MarkerFieldKind::kNs:
      field.integer = in.Zigzag();
      break;
    case MarkerFieldKind::kUnsigned:
      field.integer = static_cast<int64_t>(in.Uleb());
      break;
    case MarkerFieldKind::kNull:
      break;
  }
}

void StringTable::push_back(std::string_view text) {
  const size_t most_bytes = kMaxLeb128Bytes + text.size() + kUnitBytes;
  const auto end_unit = [](const std::vector<char>& block) { return (block.size() + kUnitBytes - 1) / kUnitBytes; };
  // After a text that is longer than a block, the rest of its block has no place numbers.
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < most_bytes ||
      end_unit(blocks_.back()) >= kUnitsPerBlock) {
    blocks_.emplace_back();
    // The first blocks are small, since many tables have a few texts alone. A view into a block has to stay valid, so
    // no block grows.
    const size_t whole_bytes =
        std::min(kFirstBlockBytes << std::min<size_t>(blocks_.size() - 1, 16), kUnitsPerBlock * kUnitBytes);
    blocks_.back().reserve(std::max(most_bytes, whole_bytes));
  }
  std::vector<char>& block = blocks_.back();
  const size_t unit = end_unit(block);
  block.resize(unit * kUnitBytes);
  uint8_t length[kMaxLeb128Bytes];
  block.insert(block.end(), length, WriteUleb128(text.size(), length));
  block.insert(block.end(), text.begin(), text.end());
  places_.push_back(static_cast<uint32_t>((blocks_.size() - 1) * kUnitsPerBlock + unit));
}

std::string_view StringTable::operator[](size_t row) const {
  const std::vector<char>& block = blocks_[places_[row] / kUnitsPerBlock];
  const size_t begin = places_[row] % kUnitsPerBlock * kUnitBytes;
  Leb128Reader reader({reinterpret_cast<const uint8_t*>(block.data()) + begin, block.size() - begin});
  const uint64_t size_bytes = reader.Uleb();
  return {reinterpret_cast<const char*>(reader.Bytes(size_bytes).data()), static_cast<size_t>(size_bytes)};
}

}  // namespace geckoprof
