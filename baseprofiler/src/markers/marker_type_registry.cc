#include "markers/marker_type_registry.h"

#include <string.h>

#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/labels/category_numbers.h"
#include "geckoprof/segment/stream_writer.h"
#include "markers/runtime_marker_types.h"
#include "process/table_lock.h"
#include "runtime/large_storage.h"

namespace geckoprof {
namespace {

static_assert(GECKOPROF_FIELD_VALUE == static_cast<int>(MarkerFieldWire::kValue));
static_assert(GECKOPROF_VALUE_UINT == static_cast<int>(MarkerValueTag::kUint));
static_assert(GECKOPROF_FIELD_HIDDEN == kMarkerFieldHidden && GECKOPROF_FIELD_OPTIONAL == kMarkerFieldOptional &&
              GECKOPROF_FIELD_SPREAD == kMarkerFieldSpread &&
              GECKOPROF_FIELD_IN_SCHEMA_ONLY == kMarkerFieldInSchemaOnly);
static_assert(GECKOPROF_TYPE_STACK_BASED == kMarkerTypeStackBased && GECKOPROF_TYPE_NO_SCHEMA == kMarkerTypeNoSchema);

// A schema of a hundred fields with labels of a line each.
constexpr size_t kLargestEntry = 16 * 1024;

TableLock g_lock;
// Guarded by g_lock.
StreamWriter g_stream;
uint32_t g_serial = 0;  // of the recording that g_stream writes to
uint32_t g_next_id = 1;
GECKOPROF_LARGE_STORAGE uint8_t g_entry[kLargestEntry];

std::string_view Text(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

// 0: there is no room, which is counted.
uint64_t Append(const Segment& segment, const EntryBuilder& entry, uint32_t id) {
  if (!entry.fits()) {
    segment.CountDrop(DropReason::kTooLarge);
    return 0;
  }
  return g_stream.Append(entry.bytes(), MonotonicNs()).has_value() ? uint64_t{g_serial} << 32 | id : 0;
}

uint64_t WriteType(const Segment& segment, const geckoprof_marker_type& type) {
  const uint32_t id = g_next_id++;
  EntryBuilder entry(EntryType::kMarkerType, g_entry);
  entry.U(id).U(type.flags).T(Text(type.name)).T(Text(type.description)).T(Text(type.chart_label));
  entry.T(Text(type.tooltip_label)).T(Text(type.table_label)).T(Text(type.color_field));
  entry.U(type.display_count);
  for (uint32_t i = 0; i < type.display_count; ++i) entry.T(Text(type.display[i]));
  entry.U(type.field_count);
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const geckoprof_marker_field& field = type.fields[i];
    entry.T(Text(field.key)).T(Text(field.label)).T(Text(field.format)).U(field.kind).U(field.flags);
  }
  entry.U(type.note_count);
  for (uint32_t i = 0; i < type.note_count; ++i) entry.T(Text(type.notes[i].label)).T(Text(type.notes[i].value));
  entry.U(type.graph_count);
  for (uint32_t i = 0; i < type.graph_count; ++i) {
    entry.T(Text(type.graphs[i].key)).T(Text(type.graphs[i].type)).T(Text(type.graphs[i].color));
  }
  return Append(segment, entry, id);
}

// The low half of the type's word, or 0.
uint32_t TypeId(const Segment& segment, geckoprof_marker_type& type) {
  if (type.registered >> 32 != g_serial) type.registered = WriteType(segment, type);
  return static_cast<uint32_t>(type.registered);
}

}  // namespace

bool MarkerTypeRegistry::IsComplete(const geckoprof_marker_site* site) {
  return site != nullptr && site->size_bytes >= sizeof(geckoprof_marker_site) &&
         (site->type == nullptr || (site->type->size_bytes >= sizeof(geckoprof_marker_type) &&
                                    site->type->name != nullptr && site->type->name[0] != 0));
}

uint64_t MarkerTypeRegistry::Register(const Segment& segment, geckoprof_marker_site& site) {
  if (!IsComplete(&site)) return 0;
  const TableLock::Holder holder(g_lock);
  if (segment.serial() < g_serial) return 0;  // of a recording that was over before the thread came here
  if (g_serial != segment.serial()) {
    g_stream = StreamWriter(&segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    g_serial = segment.serial();
    g_next_id = 1;
  }
  // Another thread was quicker, or this one marks for a recording that is over.
  const uint64_t word = __atomic_load_n(&site.registered, __ATOMIC_ACQUIRE);
  if (word >> 32 == g_serial) return word;
  const uint32_t type_id = site.type == nullptr ? 0 : TypeId(segment, *site.type);
  if (site.type != nullptr && type_id == 0) return 0;
  const uint32_t id = g_next_id++;
  const uint32_t category = PlausibleCategoryPair(site.category_pair);
  EntryBuilder entry(EntryType::kMarkerSite, g_entry);
  entry.U(id).U(category).U(type_id).U(site.name != nullptr ? 1 : 0).T(Text(site.name));
  const uint64_t registered = Append(segment, entry, id);
  if (registered != 0) __atomic_store_n(&site.registered, registered, __ATOMIC_RELEASE);
  return registered;
}

void MarkerTypeRegistry::AfterForkInChild() {
  RuntimeMarkerTypes::AfterForkInChild();
  g_lock.ResetInForkedChild();
  g_serial = 0;
}

}  // namespace geckoprof
