#include "markers/runtime_marker_types.h"

#include <string.h>

#include <string_view>
#include <type_traits>

#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/detail/type_checks.h"
#include "geckoprof/base/hash_mix.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/labels/category_numbers.h"
#include "process/table_lock.h"
#include "runtime/large_storage.h"

namespace geckoprof {

void* TypeArena::Allocate(size_t bytes) {
  bytes = RoundUpTo(bytes, alignof(max_align_t));
  if (bytes > kRegionBytes) return nullptr;
  if (bytes > free_bytes_) {
    const long result =
        RawSyscall(SYS_mmap, nullptr, kRegionBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (IsSyscallError(result)) return nullptr;
    free_ = reinterpret_cast<uint8_t*>(result);
    free_bytes_ = kRegionBytes;
  }
  void* const taken = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  return taken;
}

const char* TypeArena::Copy(const char* text, bool* failed) {
  if (text == nullptr) return nullptr;
  const size_t bytes = strlen(text) + 1;
  auto* const copy = static_cast<char*>(Allocate(bytes));
  if (copy == nullptr) {
    *failed = true;
  } else {
    memcpy(copy, text, bytes);
  }
  return copy;
}

namespace {

constexpr uint32_t kPlaces = 256;
constexpr uint32_t kMaxDisplays = 16, kMaxNotes = 64, kMaxGraphs = 16;
constexpr const char* kDefaultDisplay[] = {"marker-chart", "marker-table"};

struct RuntimeSite {
  geckoprof_marker_site kind;
  uint64_t hash;
  RuntimeSite* next;  // in the same place of the table
};

TableLock g_lock;
// Guarded by g_lock.
TypeArena g_memory;
GECKOPROF_LARGE_STORAGE geckoprof_type* g_types[kPlaces];
GECKOPROF_LARGE_STORAGE RuntimeSite* g_sites[kPlaces];
uint32_t g_type_count, g_site_count;

std::string_view Text(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

// Calls visit(text) for each text of the type, in an order of its own, and number(value) for each number.
template <typename Visit, typename Number>
void ForEachPart(const geckoprof_marker_type& type, const Visit& visit, const Number& number) {
  for (const char* text :
       {type.name, type.description, type.chart_label, type.tooltip_label, type.table_label, type.color_field}) {
    visit(text);
  }
  number(type.flags);
  number(type.display_count);
  for (uint32_t i = 0; i < type.display_count; ++i) visit(type.display[i]);
  number(type.field_count);
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const geckoprof_marker_field& field = type.fields[i];
    for (const char* text : {field.key, field.label, field.format}) visit(text);
    number(field.kind << 8 | field.flags);
  }
  number(type.note_count);
  for (uint32_t i = 0; i < type.note_count; ++i) {
    visit(type.notes[i].label);
    visit(type.notes[i].value);
  }
  number(type.graph_count);
  for (uint32_t i = 0; i < type.graph_count; ++i) {
    for (const char* text : {type.graphs[i].key, type.graphs[i].type, type.graphs[i].color}) visit(text);
  }
}

uint64_t HashType(const geckoprof_marker_type& type) {
  uint64_t hash = 0;
  ForEachPart(
      type, [&](const char* text) { hash = MixBits(hash ^ (text == nullptr ? 1 : HashText(Text(text)) << 1)); },
      [&](uint32_t number) { hash = MixBits(hash ^ number); });
  return hash;
}

uint64_t TextBytes(const geckoprof_marker_type& type) {
  uint64_t bytes = 0;
  ForEachPart(
      type, [&](const char* text) { bytes += Text(text).size() + 1; }, [](uint32_t) {});
  return bytes;
}

bool SameText(const char* a, const char* b) { return (a == nullptr) == (b == nullptr) && Text(a) == Text(b); }

bool SameParts(const geckoprof_marker_type& a, const geckoprof_marker_type& b) {
  bool same = a.flags == b.flags && a.display_count == b.display_count && a.field_count == b.field_count &&
              a.note_count == b.note_count && a.graph_count == b.graph_count && SameText(a.name, b.name) &&
              SameText(a.description, b.description) && SameText(a.chart_label, b.chart_label) &&
              SameText(a.tooltip_label, b.tooltip_label) && SameText(a.table_label, b.table_label) &&
              SameText(a.color_field, b.color_field);
  for (uint32_t i = 0; same && i < a.display_count; ++i) same = SameText(a.display[i], b.display[i]);
  for (uint32_t i = 0; same && i < a.field_count; ++i) {
    const geckoprof_marker_field &x = a.fields[i], &y = b.fields[i];
    same = x.kind == y.kind && x.flags == y.flags && SameText(x.key, y.key) && SameText(x.label, y.label) &&
           SameText(x.format, y.format);
  }
  for (uint32_t i = 0; same && i < a.note_count; ++i) {
    same = SameText(a.notes[i].label, b.notes[i].label) && SameText(a.notes[i].value, b.notes[i].value);
  }
  for (uint32_t i = 0; same && i < a.graph_count; ++i) {
    const geckoprof_marker_graph &x = a.graphs[i], &y = b.graphs[i];
    same = SameText(x.key, y.key) && SameText(x.type, y.type) && SameText(x.color, y.color);
  }
  return same;
}

bool IsFormat(std::string_view format, bool of_cell) {
  const size_t at = internal::FindFormat(format);
  if (at < internal::kFormatCount && format != GECKOPROF_TABLE) return !of_cell || internal::kFormatRows[at].is_cell;
  return !of_cell && RuntimeMarkerTypes::CountColumns(format.data()) != 0;
}

bool IsLocation(std::string_view location) {
  using Location = MarkerSchema::Location;
  for (uint32_t i = 0; i <= static_cast<uint32_t>(Location::StackChart); ++i) {
    if (location == internal::ToText(static_cast<Location>(i))) return true;
  }
  return false;
}

bool IsGraphType(std::string_view type) {
  using GraphType = MarkerSchema::GraphType;
  for (const GraphType each : {GraphType::Line, GraphType::Bar, GraphType::FilledLine}) {
    if (type == internal::ToText(each)) return true;
  }
  return false;
}

const char* FieldProblem(const geckoprof_marker_type& type, uint32_t index) {
  constexpr uint32_t kAllowed = GECKOPROF_FIELD_HIDDEN | GECKOPROF_FIELD_OPTIONAL;
  const geckoprof_marker_field& field = type.fields[index];
  if (Text(field.key).empty()) return "a field has no key";
  if (field.kind > GECKOPROF_FIELD_VALUE) return "a field is of an unknown kind";
  if ((field.flags & ~kAllowed) != 0) return "a field has flags that declared types cannot have";
  if (field.format != nullptr && !IsFormat(field.format, false)) return "the viewer has no such format";
  const bool is_in_schema = field.format != nullptr;
  if (is_in_schema && !internal::FormatFits(field.kind, field.format))
    return "a field's format is not one for its kind";
  return internal::IsFreeKey(field.key) ? nullptr
                                        : "the keys \"type\", \"cause\", \"stack\" and those of flows are taken";
}

// Lists without their pointers in ours.
template <typename Item>
Item* AllocateList(uint32_t count, bool* failed) {
  if (count == 0) return nullptr;
  Item* const list = g_memory.Allocate<Item>(count);
  if (list == nullptr) *failed = true;
  return list;
}

// False: no memory.
bool CopyParts(const geckoprof_marker_type& from, geckoprof_marker_type& to) {
  bool failed = false;
  const auto copy = [&](const char* text) { return g_memory.Copy(text, &failed); };
  to = from;
  to.size_bytes = sizeof(to);
  to.registered = 0;
  auto* const display = AllocateList<const char*>(from.display_count, &failed);
  auto* const fields = AllocateList<geckoprof_marker_field>(from.field_count, &failed);
  auto* const notes = AllocateList<geckoprof_marker_note>(from.note_count, &failed);
  auto* const graphs = AllocateList<geckoprof_marker_graph>(from.graph_count, &failed);
  if (failed) return false;
  to.name = copy(from.name);
  to.description = copy(from.description);
  to.chart_label = copy(from.chart_label);
  to.tooltip_label = copy(from.tooltip_label);
  to.table_label = copy(from.table_label);
  to.color_field = copy(from.color_field);
  for (uint32_t i = 0; i < from.display_count; ++i) display[i] = copy(from.display[i]);
  for (uint32_t i = 0; i < from.field_count; ++i) {
    const geckoprof_marker_field& field = from.fields[i];
    fields[i] = {copy(field.key), copy(field.label), copy(field.format), field.kind, field.flags};
  }
  for (uint32_t i = 0; i < from.note_count; ++i) notes[i] = {copy(from.notes[i].label), copy(from.notes[i].value)};
  for (uint32_t i = 0; i < from.graph_count; ++i) {
    graphs[i] = {copy(from.graphs[i].key), copy(from.graphs[i].type), copy(from.graphs[i].color)};
  }
  to.display = display;
  to.fields = fields;
  to.notes = notes;
  to.graphs = graphs;
  return !failed;
}

// Copies the members that the program's structure has. Other members get their defaults.
geckoprof_marker_type Complete(const geckoprof_marker_type& description) {
  geckoprof_marker_type type = description;
  if (type.display == nullptr) {
    type.display = kDefaultDisplay;
    type.display_count = 2;
  }
  return type;
}

template <typename Kind, typename Same>
Kind* Find(Kind* const (&table)[kPlaces], uint64_t hash, const Same& same) {
  for (Kind* found = table[hash % kPlaces]; found != nullptr; found = found->next) {
    if (found->hash == hash && same(*found)) return found;
  }
  return nullptr;
}

template <typename Kind>
Kind* Store(Kind* (&table)[kPlaces], uint32_t& count, Kind* kind, uint64_t hash) {
  kind->hash = hash;
  kind->next = table[hash % kPlaces];
  table[hash % kPlaces] = kind;
  ++count;
  return kind;
}

static_assert(std::is_trivially_destructible_v<TypeArena>);

}  // namespace

uint32_t RuntimeMarkerTypes::CountColumns(const char* format) {
  constexpr std::string_view kTable = GECKOPROF_TABLE;
  std::string_view left = Text(format);
  if (!left.starts_with(kTable)) return 0;
  left.remove_prefix(kTable.size());
  uint32_t columns = 0;
  for (; !left.empty(); ++columns) {
    const size_t middle = left.find('\x1f');
    if (left[0] != '\x1e' || middle == std::string_view::npos) return 0;
    const size_t end = left.find('\x1e', middle);
    if (!IsFormat(left.substr(middle + 1, end - middle - 1), true)) return 0;
    left.remove_prefix(end < left.size() ? end : left.size());
  }
  return columns;
}

uint32_t RuntimeMarkerTypes::CountDeclaredColumns(const char* format) {
  uint32_t columns = 0;
  for (const char* p = format; p != nullptr && *p != '\0'; ++p) columns += *p == '\x1e' ? 1 : 0;
  return columns;
}

const char* RuntimeMarkerTypes::Problem(const geckoprof_marker_type* description) {
  if (description == nullptr || description->size_bytes < sizeof(*description)) return "there is no whole description";
  const geckoprof_marker_type& type = *description;
  if (Text(type.name).empty()) return "the type has no name";
  if ((type.flags & ~uint32_t{GECKOPROF_TYPE_STACK_BASED | GECKOPROF_TYPE_NO_SCHEMA}) != 0)
    return "the type has unknown flags";
  const bool has_schema = (type.flags & GECKOPROF_TYPE_NO_SCHEMA) == 0;
  if (has_schema && internal::IsViewersOwn(type.name)) {
    return "the type's name is one of the viewer's own: another, or no schema and the fields that the viewer wants";
  }
  if (!has_schema && !internal::NeedsNoSchema(type.name)) {
    return "without a schema, the viewer shows no field of a type that it does not know by its name";
  }
  if (type.field_count > GECKOPROF_MOST_FIELDS) return "there are more than 31 fields";
  if (type.display_count > kMaxDisplays || type.note_count > kMaxNotes || type.graph_count > kMaxGraphs) {
    return "a list is too long";
  }
  if ((type.fields == nullptr && type.field_count != 0) || (type.notes == nullptr && type.note_count != 0) ||
      (type.graphs == nullptr && type.graph_count != 0) || (type.display == nullptr && type.display_count != 0)) {
    return "a list is counted and not there";
  }
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const char* const problem = FieldProblem(type, i);
    if (problem != nullptr) return problem;
  }
  for (uint32_t i = 0; i < type.display_count; ++i) {
    if (!IsLocation(Text(type.display[i]))) return "the viewer shows markers at no such place";
  }
  const internal::TypeFields fields(type.fields, type.field_count);
  if (!internal::KeysDiffer(fields)) return "two fields have the same key";
  for (uint32_t i = 0; i < type.graph_count; ++i) {
    if (!internal::IsGraphKey(fields, type.graphs[i].key)) return "a graph is of no field with a number";
    if (!IsGraphType(Text(type.graphs[i].type))) return "the viewer has no such graph";
    const std::string_view color = Text(type.graphs[i].color);
    if (!color.empty() && !IsGraphColor(color)) return "the viewer has no such colour for a graph";
  }
  if (!internal::IsColorKey(fields, type.color_field)) return "the colour is no field with a text";
  if (!internal::AreLabels(type)) return "a label has something else in braces than what a marker has";
  return TextBytes(type) > kLargestTextBytes ? "its texts are longer than 8 KiB together" : nullptr;
}

geckoprof_type* RuntimeMarkerTypes::Type(const geckoprof_marker_type* description) {
  if (Problem(description) != nullptr) return nullptr;
  const geckoprof_marker_type type = Complete(*description);
  const uint64_t hash = HashType(type);
  const TableLock::Holder holder(g_lock);
  geckoprof_type* const known =
      Find(g_types, hash, [&](const geckoprof_type& other) { return SameParts(other.kind, type); });
  if (known != nullptr || g_type_count == kMax) return known;
  auto* const made = g_memory.Allocate<geckoprof_type>();
  return made != nullptr && CopyParts(type, made->kind) ? Store(g_types, g_type_count, made, hash) : nullptr;
}

geckoprof_site* RuntimeMarkerTypes::Site(const char* name, uint32_t category_pair, geckoprof_type* type) {
  if (Text(name).size() > kLargestTextBytes) return nullptr;
  geckoprof_marker_type* const kind = type == nullptr ? nullptr : &type->kind;
  const uint64_t hash = MixBits(MixBits(HashText(Text(name)) ^ (name == nullptr ? 1 : 0)) ^
                                MixBits(category_pair ^ reinterpret_cast<uintptr_t>(type) << 8));
  const TableLock::Holder holder(g_lock);
  RuntimeSite* const known = Find(g_sites, hash, [&](const RuntimeSite& other) {
    return other.kind.category_pair == category_pair && other.kind.type == kind && SameText(other.kind.name, name);
  });
  if (known != nullptr) return &known->kind;
  if (g_site_count == kMax) return nullptr;
  bool failed = false;
  auto* const made = g_memory.Allocate<RuntimeSite>();
  const char* const copy = g_memory.Copy(name, &failed);
  if (made == nullptr || failed) return nullptr;
  made->kind = {sizeof(geckoprof_marker_site), category_pair, copy, kind, 0};
  return &Store(g_sites, g_site_count, made, hash)->kind;
}

void RuntimeMarkerTypes::AfterForkInChild() { g_lock.ResetInForkedChild(); }

}  // namespace geckoprof
