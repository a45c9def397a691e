#include "tools/convert/processed_tables.h"

#include "geckoprof/streaming/gecko_text.h"
#include "tools/convert/native_categories.h"

namespace geckoprof {
namespace {

constexpr int32_t kUnknown = -2;

template <typename Rows>
bool InRange(int32_t row, const Rows& rows) {
  return row >= 0 && static_cast<size_t>(row) < rows.size();
}

// The caller's row, which is an earlier one; anything else is none, so that no chain comes back to where it started.
int32_t PrefixOf(int32_t row, const std::vector<StackRow>& rows) {
  const int32_t prefix = rows[static_cast<size_t>(row)].prefix;
  return prefix >= 0 && prefix < row ? prefix : kNone;
}

}  // namespace

ProcessedTables::ProcessedTables(const RecordedSession& session, Symbolizer& symbolizer)
    : session_(session), symbolizer_(symbolizer), categories_(NativeCategories()) {
  for (const ProcessProfile& profile : session.processes) {
    Process process;
    process.sample_stacks.assign(profile.stacks.size(), kUnknown);
    process.caller_stacks.assign(profile.stacks.size(), kUnknown);
    process.sample_frames.assign(profile.frames.size(), kUnknown);
    process.caller_frames.assign(profile.frames.size(), kUnknown);
    process.libs.assign(profile.libraries.size(), kUnknown);
    process.categories = categories_.AddAll(profile.categories);
    processes_.push_back(std::move(process));
  }
}

int32_t ProcessedTables::Category(size_t process, int32_t category) const {
  const std::vector<int32_t>& numbers = processes_[process].categories;
  return InRange(category, numbers) ? numbers[static_cast<size_t>(category)] : categories_.fallback();
}

int32_t ProcessedTables::Subcategory(size_t process, int32_t category, const FrameRow& frame) const {
  const std::vector<CategoryRow>& rows = session_.processes[process].categories;
  return InRange(frame.category, rows)
             ? categories_.Subcategory(category, rows[static_cast<size_t>(frame.category)], frame.subcategory)
             : 0;
}

int32_t ProcessedTables::Stack(size_t process, int32_t stack, bool is_sample) {
  const std::vector<StackRow>& rows = session_.processes[process].stacks;
  if (!InRange(stack, rows)) return kNone;
  const auto index = static_cast<size_t>(stack);
  std::vector<int32_t>& known = is_sample ? processes_[process].sample_stacks : processes_[process].caller_stacks;
  if (known[index] != kUnknown) return known[index];

  // The callers that are not known yet, innermost first.
  std::vector<int32_t>& callers = processes_[process].caller_stacks;
  path_.clear();
  int32_t row = is_sample ? PrefixOf(stack, rows) : stack;
  while (row != kNone && callers[static_cast<size_t>(row)] == kUnknown) {
    path_.push_back(row);
    row = PrefixOf(row, rows);
  }
  int32_t prefix = row != kNone ? callers[static_cast<size_t>(row)] : kNone;
  for (size_t i = path_.size(); i > 0; --i) {
    const auto caller = static_cast<size_t>(path_[i - 1]);
    prefix = AddStack(prefix, FrameOf(process, rows[caller].frame, /*is_sample=*/false));
    callers[caller] = prefix;
  }
  if (is_sample) known[index] = AddStack(prefix, FrameOf(process, rows[index].frame, /*is_sample=*/true));
  return known[index];
}

int32_t ProcessedTables::AddStack(int32_t prefix, int32_t frame) {
  if (frame == kNone) return prefix;  // a frame out of range is left out
  const auto [entry, is_new] = stack_numbers_.try_emplace({prefix, frame}, static_cast<int32_t>(stacks_.size()));
  if (is_new) stacks_.emplace_back(prefix, frame);
  return entry->second;
}

int32_t ProcessedTables::FrameOf(size_t process, int32_t frame, bool is_sample) {
  const std::vector<FrameRow>& rows = session_.processes[process].frames;
  if (!InRange(frame, rows)) return kNone;
  Process& numbers = processes_[process];
  int32_t& known = (is_sample ? numbers.sample_frames : numbers.caller_frames)[static_cast<size_t>(frame)];
  if (known != kUnknown) return known;
  const Frame made = MakeFrame(process, rows[static_cast<size_t>(frame)], is_sample);
  const auto [entry, is_new] = frame_numbers_.try_emplace(made, static_cast<int32_t>(frames_.size()));
  if (is_new) frames_.push_back(made);
  known = entry->second;
  return known;
}

ProcessedTables::Frame ProcessedTables::MakeFrame(size_t process, const FrameRow& frame, bool is_sample) {
  if (frame.kind == FrameKind::kInstruction) return MakeInstruction(process, frame, is_sample);
  const std::vector<std::string>& strings = session_.processes[process].strings;
  std::string_view name = "(root)";
  if (frame.kind != FrameKind::kRoot) {
    name = InRange(frame.text, strings) ? std::string_view(strings[static_cast<size_t>(frame.text)]) : "(no text)";
  }
  Frame made{-1, kNone, 0, AddFunc(name, kNone), kNone};
  if (frame.kind == FrameKind::kRoot) made.category = static_cast<int32_t>(NativeCategory::kOther);
  if (frame.category >= 0) {
    made.category = Category(process, frame.category);
    made.subcategory = Subcategory(process, made.category, frame);
  }
  return made;
}

ProcessedTables::Frame ProcessedTables::MakeInstruction(size_t process, const FrameRow& frame, bool is_sample) {
  const ProcessProfile& profile = session_.processes[process];
  const LibraryRow* library =
      InRange(frame.library, profile.libraries) ? &profile.libraries[static_cast<size_t>(frame.library)] : nullptr;
  Frame made{-1, static_cast<int32_t>(NativeCategoryOf(library, profile.executable)), 0, kNone, kNone};
  if (frame.category >= 0) {
    made.category = Category(process, frame.category);
    made.subcategory = Subcategory(process, made.category, frame);
  }
  const uint64_t avma = frame.address - (is_sample || frame.address == 0 ? 0 : 1);
  if (library == nullptr || avma < library->start_avma) {
    made.func = AddFunc(GeckoAddressText(avma), kNone);
    return made;
  }
  const int32_t lib = LibOf(process, frame.library);
  const int32_t resource = libs_[static_cast<size_t>(lib)].resource;
  made.address = static_cast<int64_t>(avma - library->start_avma);
  const SymbolTable::Function* function = symbolizer_.Find(library->path, library->build_id, avma - library->bias);
  if (function == nullptr) {
    made.func = AddFunc(GeckoAddressText(static_cast<uint64_t>(made.address)), resource);
  } else {
    made.func = AddFunc(function->name, resource);
    made.native_symbol = AddNativeSymbol(lib, *library, *function);
  }
  return made;
}

int32_t ProcessedTables::LibOf(size_t process, int32_t library) {
  int32_t& known = processes_[process].libs[static_cast<size_t>(library)];
  if (known != kUnknown) return known;
  const LibraryRow& row = session_.processes[process].libraries[static_cast<size_t>(library)];
  const auto [entry, is_new] = lib_numbers_.try_emplace({row.path, row.build_id}, static_cast<int32_t>(libs_.size()));
  if (is_new) libs_.push_back({&row, static_cast<int32_t>(libs_.size())});
  known = entry->second;
  return known;
}

int32_t ProcessedTables::AddFunc(std::string_view name, int32_t resource) {
  const uint32_t string = strings_.Intern(name);
  const auto [entry, is_new] = func_numbers_.try_emplace({string, resource}, static_cast<int32_t>(funcs_.size()));
  if (is_new) funcs_.push_back({string, resource});
  return entry->second;
}

int32_t ProcessedTables::AddNativeSymbol(int32_t lib, const LibraryRow& library,
                                         const SymbolTable::Function& function) {
  // From svma to the format's addresses, which count from the first mapped byte.
  const uint64_t address = function.start_svma + library.bias - library.start_avma;
  const auto [entry, is_new] =
      native_symbol_numbers_.try_emplace({lib, address}, static_cast<int32_t>(native_symbols_.size()));
  if (is_new) native_symbols_.push_back({lib, address, function.size_bytes, strings_.Intern(function.name)});
  return entry->second;
}

}  // namespace geckoprof
