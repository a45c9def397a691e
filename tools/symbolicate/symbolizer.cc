#include "tools/symbolicate/symbolizer.h"

#include <optional>

namespace geckoprof {

const SymbolTable::Function* Symbolizer::Find(const std::string& path, const std::string& build_id, uint64_t svma) {
  Module& module = ModuleOf(path, build_id);
  if (module.table == nullptr) {
    ++counts_.unknown_addresses;
    return nullptr;
  }
  const auto [entry, is_new] = module.found.try_emplace(svma);
  if (is_new) {
    if (std::optional<SymbolTable::Function> function = module.table->Find(svma)) {
      entry->second = std::make_unique<SymbolTable::Function>(*std::move(function));
    } else {
      ++counts_.unknown_addresses;
    }
  }
  return entry->second.get();
}

Symbolizer::Module& Symbolizer::ModuleOf(const std::string& path, const std::string& build_id) {
  std::unique_ptr<Module>& module = modules_[{path, build_id}];
  if (module != nullptr) return *module;
  module = std::make_unique<Module>();
  absl::StatusOr<std::unique_ptr<SymbolTable>> table = SymbolTable::Load(path, build_id, debug_folder_);
  if (table.ok()) {
    ++counts_.loaded;
    module->table = *std::move(table);
    return *module;
  }
  ++(absl::IsFailedPrecondition(table.status()) ? counts_.mismatched : counts_.unreadable);
  problems_.emplace_back(table.status().message());
  return *module;
}

}  // namespace geckoprof
