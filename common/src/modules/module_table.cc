#include "geckoprof/modules/module_table.h"

#include <algorithm>
#include <utility>

namespace geckoprof {

namespace {

bool IsSameFile(const MapsLine& a, const MapsLine& b) {
  return a.inode == b.inode && a.dev_major == b.dev_major && a.dev_minor == b.dev_minor && a.path == b.path;
}

bool MayBeginObject(const MapsLine& line) {
  return line.file_offset == 0 && !line.path.empty() && (line.path[0] == '/' || line.path == "[vdso]");
}

}  // namespace

ModuleTable::Changes ModuleTable::Refresh(std::string_view maps_text, int64_t now_ns) {
  Changes changes;
  ReadRegions(maps_text);
  seen_.assign(modules_.size(), 0);
  FindObjects(now_ns, changes);
  DropUnseen(changes);
  lines_.clear();
  if (!changes.added.empty() || !changes.removed.empty()) ++generation_;
  if (!changes.removed.empty()) ++removal_generation_;
  return changes;
}

bool ModuleTable::DropMistaken(Changes& changes) {
  const size_t dropped = std::erase_if(changes.added, [this](uint32_t id) {
    const auto at = std::ranges::find(modules_, id, [](const auto& module) { return module->id(); });
    const bool is_mistaken = at != modules_.end() && (*at)->IsMistaken();
    if (is_mistaken) modules_.erase(at);
    return is_mistaken;
  });
  if (dropped > 0) RebuildSpans();
  return dropped > 0;
}

void ModuleTable::ReadRegions(std::string_view maps_text) {
  lines_.clear();
  regions_.clear();
  uint64_t end_avma = 0;
  while (!maps_text.empty()) {
    MapsLine line;
    // The kernel writes lines in ascending order. Other lines are ignored.
    if (!NextMapsLine(maps_text, line) || line.start_avma < end_avma) continue;
    end_avma = line.end_avma;
    const bool anonymous = line.path.empty() || line.path[0] != '/';
    regions_.push_back({line.start_avma, line.end_avma, line.readable, line.writable, line.executable, anonymous});
    lines_.push_back(line);
  }
}

// A file is an object if executable memory of the file follows its beginning. A file that is only read through a
// mapping has none. An object that the loader has only begun to map has none yet. Anonymous executable memory counts if
// it is adjacent and at the place of the object's code, because some programs move all of their code.
void ModuleTable::FindObjects(int64_t now_ns, Changes& changes) {
  beginnings_.clear();
  const Module* last = nullptr;  // other mappings of its file within its range start no new object
  for (const MapsLine& line : lines_) {
    const bool in_last = last != nullptr && line.start_avma < last->end_avma() && last->IsOfFile(line);
    if (MayBeginObject(line) && !in_last) {
      if (!beginnings_.empty() && !IsSameFile(*beginnings_.back(), line)) beginnings_.clear();
      if (beginnings_.size() == kMaxBeginnings) beginnings_.erase(beginnings_.begin());
      beginnings_.push_back(&line);
    }
    if (!line.executable || beginnings_.empty()) continue;
    const bool is_moved = line.path.empty() && line.start_avma == beginnings_.back()->end_avma;
    if (!is_moved && !IsSameFile(line, *beginnings_.back())) continue;
    const Module* const object = FindObjectOf(line, now_ns, changes);
    if (object == nullptr && is_moved) continue;
    last = object;
    beginnings_.clear();
  }
}

// Finds or opens the object of the executable memory `code`. It prefers the nearest beginning from which the program
// headers put code there. If no beginning fits, it uses the nearest ELF header. Then the file was mapped by other means
// than a loader. Anonymous memory has no such use.
const Module* ModuleTable::FindObjectOf(const MapsLine& code, int64_t now_ns, Changes& changes) {
  std::unique_ptr<Module> opened;
  const Module* found = nullptr;
  size_t found_at = 0;
  for (size_t i = beginnings_.size(); i-- > 0;) {
    const size_t known_at = FindKnown(*beginnings_[i]);
    const bool is_known = known_at < seen_.size();
    std::unique_ptr<Module> made = is_known ? nullptr : Module::Open(next_id_, *beginnings_[i], memory_, now_ns);
    const Module* const object = is_known ? modules_[known_at].get() : made.get();
    if (object == nullptr) continue;
    const bool has_code = object->HasCodeAt(code);
    if (!has_code && (found != nullptr || code.path.empty())) continue;
    found = object;
    found_at = known_at;
    opened = std::move(made);
    if (has_code) break;
  }
  if (opened != nullptr) {
    ++next_id_;
    changes.added.push_back(opened->id());
    opened->NoteFileOpening(&any_file_opened_);
    modules_.push_back(std::move(opened));
  } else if (found != nullptr) {
    seen_[found_at] = 1;
  }
  return found;
}

// Returns the index of the module that was known before this Refresh and begins at `first`, or seen_.size(). The first
// seen_.size() elements of modules_ are in order.
size_t ModuleTable::FindKnown(const MapsLine& first) const {
  const auto known_end = modules_.begin() + static_cast<ptrdiff_t>(seen_.size());
  const auto place = std::lower_bound(modules_.begin(), known_end, first.start_avma,
                                      [](const auto& module, uint64_t avma) { return module->start_avma() < avma; });
  const bool is_known = place != known_end && (*place)->IsSameMapping(first);
  return is_known ? static_cast<size_t>(place - modules_.begin()) : seen_.size();
}

void ModuleTable::DropUnseen(Changes& changes) {
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i] != 0) continue;
    changes.removed.push_back(modules_[i]->id());
    changes.removed_ranges.push_back({modules_[i]->start_avma(), modules_[i]->end_avma()});
    modules_[i].reset();
  }
  std::erase(modules_, nullptr);
  if (!changes.added.empty() || !changes.removed.empty()) RebuildSpans();
  AssignText();
}

void ModuleTable::RebuildSpans() {
  std::sort(modules_.begin(), modules_.end(),
            [](const auto& a, const auto& b) { return a->start_avma() < b->start_avma(); });
  spans_.clear();
  for (const auto& module : modules_) {
    // The headers of an object may claim too much memory. The range ends where the next object begins.
    if (!spans_.empty()) spans_.back().end_avma = std::min(spans_.back().end_avma, module->start_avma());
    spans_.push_back({module->start_avma(), module->end_avma(), module.get()});
  }
}

// All executable regions in a module's range are its text, with or without a file. Some programs move their text to
// large pages.
void ModuleTable::AssignText() {
  auto region = regions_.begin();
  for (const Span& span : spans_) {
    std::vector<AddressRange> text;
    while (region != regions_.end() && region->start_avma < span.start_avma) ++region;
    for (; region != regions_.end() && region->start_avma < span.end_avma; ++region) {
      if (region->executable) text.push_back({region->start_avma, std::min(region->end_avma, span.end_avma)});
    }
    span.module->set_text_ranges(std::move(text));
  }
}

Module* ModuleTable::Find(uint64_t avma) const {
  const auto above = std::upper_bound(spans_.begin(), spans_.end(), avma,
                                      [](uint64_t wanted, const Span& span) { return wanted < span.start_avma; });
  if (above == spans_.begin()) return nullptr;
  const Span& span = *(above - 1);
  return avma < span.end_avma ? span.module : nullptr;
}

Module* ModuleTable::FindById(uint32_t id) const {
  for (const auto& module : modules_) {
    if (module->id() == id) return module.get();
  }
  return nullptr;
}

const ModuleTable::Region* ModuleTable::RegionAt(uint64_t avma) const {
  const auto above = std::upper_bound(regions_.begin(), regions_.end(), avma,
                                      [](uint64_t wanted, const Region& region) { return wanted < region.start_avma; });
  if (above == regions_.begin()) return nullptr;
  const Region& region = *(above - 1);
  return avma < region.end_avma ? &region : nullptr;
}

bool ModuleTable::MayBeCodeAt(uint64_t avma) const {
  if (Find(avma) != nullptr) return true;
  const Region* const region = RegionAt(avma);
  return region != nullptr && region->executable;
}

uint64_t ModuleTable::StackRegionEnd(uint64_t sp_avma) const {
  const Region* region = RegionAt(sp_avma);
  return region != nullptr && region->readable && region->writable ? region->end_avma : 0;
}

void ModuleTable::AddForTest(std::unique_ptr<Module> module) {
  for (const AddressRange& range : module->text_ranges()) {
    regions_.push_back({range.start_avma, range.end_avma, true, false, true, false});
  }
  module->NoteFileOpening(&any_file_opened_);
  modules_.push_back(std::move(module));
  std::sort(regions_.begin(), regions_.end(),
            [](const Region& a, const Region& b) { return a.start_avma < b.start_avma; });
  ++generation_;
  RebuildSpans();
}

}  // namespace geckoprof
