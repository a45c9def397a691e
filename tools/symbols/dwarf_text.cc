#include "tools/symbols/dwarf_text.h"

#include "tools/symbols/byte_cursor.h"

namespace geckoprof {

void DwarfText::AddSections(const ElfImage& image) {
  for (const char* name : {".debug_str", ".debug_line_str", ".debug_info", ".debug_types"}) {
    if (const std::span<const uint8_t> bytes = image.SectionBytes(name); !bytes.empty()) AddSection(bytes);
  }
}

std::string_view DwarfText::TextOf(Dwarf_Attribute* attribute) const { return Bounded(dwarf_formstring(attribute)); }

std::string_view DwarfText::TextOf(Dwarf_Die* die, unsigned attribute) const {
  Dwarf_Attribute found;
  return dwarf_attr(die, attribute, &found) != nullptr ? TextOf(&found) : std::string_view();
}

std::string_view DwarfText::Bounded(const char* text) const {
  const auto at = reinterpret_cast<uintptr_t>(text);
  for (const std::span<const uint8_t> section : sections_) {
    const auto start = reinterpret_cast<uintptr_t>(section.data());
    if (at >= start && at - start < section.size()) return ByteCursor(section, at - start).Text();
  }
  return {};
}

}  // namespace geckoprof
