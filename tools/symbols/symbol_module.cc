#include "tools/symbols/symbol_module.h"

#include <optional>
#include <utility>

#include "tools/symbols/demangle.h"
#include "tools/text/concat.h"

namespace geckoprof {

absl::StatusOr<std::unique_ptr<SymbolModule>> SymbolModule::Open(const std::string& path, std::string_view build_id,
                                                                 DebugFileFinder* finder) {
  absl::StatusOr<std::unique_ptr<ElfImage>> image = finder->FindObject(path, build_id);
  if (!image.ok()) return image.status();
  std::unique_ptr<SymbolModule> module(new SymbolModule(path, finder->demangler()));
  module->image_ = *std::move(image);
  module->is_verified_ = !build_id.empty() || finder->has_held();
  module->first_mapped_svma_ = module->image_->FirstMappedSvma();
  const bool has_own = module->image_->HasDebugInfo();
  std::unique_ptr<ElfImage> debug;
  if (!has_own) debug = finder->FindDebugFile(*module->image_, path);
  module->table_ = std::make_unique<SymbolTable>(*module->image_, debug.get(), module->demangler_);
  // libdw takes a file over for good (it moves sections about): it gets one of its own.
  if (has_own && !IsVdso(path)) {
    absl::StatusOr<std::unique_ptr<ElfImage>> again = module->image_->OpenAgain();
    if (again.ok()) debug = *std::move(again);
  }
  if (debug != nullptr && debug->HasDebugInfo()) module->OpenDebugInfo(std::move(debug), finder);
  return module;
}

void SymbolModule::OpenDebugInfo(std::unique_ptr<ElfImage> image, DebugFileFinder* finder) {
  absl::StatusOr<std::unique_ptr<DwarfFile>> dwarf = DwarfFile::Open(std::move(image), path_, finder);
  if (dwarf.ok()) {
    dwarf_ = *std::move(dwarf);
  } else {
    dwarf_problem_ = std::string(dwarf.status().message());
  }
}

std::string_view SymbolModule::Demangled(std::string_view linkage_name) {
  const auto [entry, is_new] = demangled_.try_emplace(linkage_name);
  if (is_new) entry->second = Keep(demangler_->Demangle(linkage_name));
  return entry->second;
}

const AddressSymbols* SymbolModule::Find(uint64_t svma) {
  const auto [entry, is_new] = found_.try_emplace(svma);
  if (is_new) entry->second = LookUp(svma);
  return entry->second.get();
}

std::unique_ptr<AddressSymbols> SymbolModule::LookUp(uint64_t svma) {
  std::optional<SymbolTable::Function> function = table_->Find(svma);
  scratch_.clear();
  const bool has_frames = dwarf_ != nullptr && dwarf_->Append(svma, &scratch_) && !scratch_.empty();
  if (!function.has_value() && !has_frames) return nullptr;
  auto found = std::make_unique<AddressSymbols>();
  if (function.has_value()) {
    found->symbol = Keep(std::move(function->name));
    found->start_svma = function->start_svma;
    found->size_bytes = function->size_bytes;
  }
  if (!has_frames) {
    found->frames.push_back({found->symbol, {}, 0, 0});
    return found;
  }
  for (size_t i = 0; i < scratch_.size(); ++i) {
    const SourceFrame& frame = scratch_[i];
    // Bounds are no name where there is a real one. The symbol's, if any, knows of clones ("run.cold").
    const bool is_named = i == 0 && function.has_value() && (function->has_symbol || frame.linkage_name.empty());
    std::string_view name = is_named ? found->symbol : Demangled(frame.linkage_name);
    if (name.empty()) name = "(no name)";
    found->frames.push_back({name, frame.file, frame.line, frame.column});
  }
  found->symbol = found->frames[0].name;
  if (found->start_svma == 0) found->start_svma = svma;
  return found;
}

std::vector<std::string> SymbolModule::Problems() const {
  std::vector<std::string> problems = DebugInfoProblems();
  if (!is_verified_) {
    problems.push_back(Concat(path_, " was recorded without a build id: whether it is the same file is unknown"));
  }
  return problems;
}

std::vector<std::string> SymbolModule::DebugInfoProblems() const {
  std::vector<std::string> problems;
  if (!dwarf_problem_.empty()) problems.push_back(dwarf_problem_);
  if (dwarf_ == nullptr) return problems;
  const auto add = [&](uint64_t count, std::string_view what) {
    const std::string_view units = count == 1 ? " compile unit " : " compile units ";
    if (count != 0) problems.push_back(Concat(path_, ": ", count, units, what));
  };
  add(dwarf_->broken_units(), "with broken debug information: no lines and inlined functions there");
  add(dwarf_->missing_split_units(),
      "whose .dwo or .dwp file is missing, damaged or of another build: no inlined functions there");
  if (dwarf_->lacks_alternate()) {
    problems.push_back(Concat(path_, ": the file that dwz moved common parts to is missing: some names are unknown"));
  }
  return problems;
}

}  // namespace geckoprof
