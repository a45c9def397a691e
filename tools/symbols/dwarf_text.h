#ifndef GECKOPROF_TOOLS_SYMBOLS_DWARF_TEXT_H_
#define GECKOPROF_TOOLS_SYMBOLS_DWARF_TEXT_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/symbols/elf_image.h"

namespace geckoprof {

// DwarfText: texts of attributes that libdw found. libdw hands out a pointer without looking for the zero behind the
// text, which broken files lack: a text counts only if it lies, with its zero, in one of the sections known here.
// Lifetime: a view of the files' sections. Threads: any.
class DwarfText {
 public:
  // Makes the file's sections known that have texts.
  void AddSections(const ElfImage& image);
  void AddSection(std::span<const uint8_t> bytes) { sections_.push_back(bytes); }

  // Empty: it has none.
  std::string_view TextOf(Dwarf_Attribute* attribute) const;
  // Likewise of an attribute of the DIE itself.
  std::string_view TextOf(Dwarf_Die* die, unsigned attribute) const;
  // Up to its zero; empty if it is nowhere known, or null.
  std::string_view Bounded(const char* text) const;

 private:
  std::vector<std::span<const uint8_t>> sections_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_DWARF_TEXT_H_
