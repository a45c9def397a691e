#include "tools/processed_format/processed_tables.h"

#include "geckoprof/gecko_json/gecko_text.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/processed_format/missing_names.h"

namespace geckoprof {

const std::vector<CategoryRow>& NativeCategories() {
  static const auto* const rows = new std::vector<CategoryRow>{
      {"Other", "grey", {"Other"}},          {"Program", "yellow", {"Other"}},        {"Library", "green", {"Other"}},
      {"System library", "blue", {"Other"}}, {"Dynamic linker", "orange", {"Other"}}, {"vDSO", "lightblue", {"Other"}},
      {"Profiler", "lightred", {"Other"}},
  };
  return *rows;
}

NativeCategory NativeCategoryOf(const LibraryRow* library, std::string_view executable) {
  if (library == nullptr) return NativeCategory::kOther;
  const std::string_view path = library->path;
  const std::string_view name = PathBaseName(path);
  if (path == "[vdso]") return NativeCategory::kVdso;
  if (path == executable) return NativeCategory::kProgram;
  if (name.starts_with("libbaseprofiler.so") || name.starts_with("libgeckoprofiler.so")) {
    return NativeCategory::kProfiler;
  }
  if (name.starts_with("ld-linux") || name.starts_with("ld.so") || name.starts_with("ld-2.")) {
    return NativeCategory::kLoader;
  }
  for (std::string_view folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}) {
    if (path.starts_with(folder)) return NativeCategory::kSystemLibrary;
  }
  return NativeCategory::kLibrary;
}

namespace {

constexpr int32_t kUnknown = -2, kChanging = -3;

template <typename Rows>
bool InRange(int32_t row, const Rows& rows) {
  return row >= 0 && static_cast<size_t>(row) < rows.size();
}

// The caller's row, which is an earlier one; anything else is none, so that no chain comes back to where it started.
int32_t PrefixOf(int32_t row, const std::vector<StackRow>& rows) {
  const int32_t prefix = rows[static_cast<size_t>(row)].prefix;
  return prefix >= 0 && prefix < row ? prefix : kNone;
}

// The address that symbols are looked up by: a return address may be that of the next function.
uint64_t LookUpAddress(const FrameRow& frame, bool is_sample) {
  return frame.address - (is_sample || frame.address == 0 ? 0 : 1);
}

std::vector<bool> FindLabelled(const ProcessProfile& profile) {
  std::vector<bool> is_labelled(profile.stacks.size());
  for (size_t i = 0; i < is_labelled.size(); ++i) {
    const int32_t prefix = PrefixOf(static_cast<int32_t>(i), profile.stacks);
    if (prefix == kNone) continue;
    const auto caller = static_cast<size_t>(prefix);
    const int32_t frame = profile.stacks[caller].frame;
    const bool is_label = InRange(frame, profile.frames) &&
                          profile.frames[static_cast<size_t>(frame)].kind == FrameKind::kLabel &&
                          profile.frames[static_cast<size_t>(frame)].category >= 0;
    is_labelled[i] = is_label || is_labelled[caller];
  }
  return is_labelled;
}

}  // namespace

ProcessedTables::ProcessedTables(const RecordedSession& session, Symbolizer& symbolizer)
    : session_(session), symbolizer_(symbolizer), categories_(NativeCategories()), made_code_(session) {}

ProcessedTables::Process& ProcessedTables::StateOf(size_t row) {
  if (process_.row == row) return process_;
  const ProcessProfile& profile = session_.processes[row];
  process_ = Process();
  process_.row = row;
  process_.sample_stacks.assign(profile.stacks.size(), kUnknown);
  process_.caller_stacks.assign(profile.stacks.size(), kUnknown);
  process_.is_labelled = FindLabelled(profile);
  for (auto& frames : process_.frames) frames.resize(profile.frames.size());
  process_.libs.assign(profile.libraries.size(), kUnknown);
  process_.symbols.resize(profile.libraries.size());
  process_.is_unnamed.resize(profile.frames.size());
  process_.categories = categories_.AddAll(profile.categories);
  return process_;
}

int32_t ProcessedTables::Category(size_t process, int32_t category) {
  const std::vector<int32_t>& numbers = StateOf(process).categories;
  return InRange(category, numbers) ? numbers[static_cast<size_t>(category)] : categories_.fallback();
}

int32_t ProcessedTables::Subcategory(size_t process, int32_t category, const FrameRow& frame) const {
  const std::vector<CategoryRow>& rows = session_.processes[process].categories;
  return InRange(frame.category, rows)
             ? categories_.Subcategory(category, rows[static_cast<size_t>(frame.category)], frame.subcategory)
             : 0;
}

int32_t ProcessedTables::SampleStack(size_t process, int32_t stack, StateLook look, int64_t time_ns) {
  const int32_t running = Stack(process, stack, /*is_sample=*/true, time_ns);
  if (look.is_running()) CountSample(process, stack);
  if (look.is_running()) return running;
  // A stack of the root alone says nothing.
  const bool has_stack = stack != 0 && running != kNone;
  if (!has_stack && !look.has_own_frame()) return kNone;
  Frame frame;
  int32_t prefix = has_stack ? running : Stack(process, 0, /*is_sample=*/false, time_ns);
  if (look.has_own_frame()) {
    frame.func = tables_.AddFunc({String(StateLook::kReadyFrame)});
  } else {  // the same stack, with another category at its end
    const SharedTables::Stack row = tables_.stacks()[static_cast<size_t>(running)];
    prefix = row.prefix;
    frame = tables_.frames()[static_cast<size_t>(row.frame)];
  }
  const GeckoCategories::Place place = categories_.PlaceOf(look);
  frame.category = place.category;
  frame.subcategory = place.subcategory;
  return tables_.AddStack(prefix, tables_.AddFrame(frame));
}

void ProcessedTables::CountSample(size_t process, int32_t stack) {
  const ProcessProfile& profile = session_.processes[process];
  if (stack <= 0 || !InRange(stack, profile.stacks)) return;
  missing_names_.AddSample();
  const int32_t frame = profile.stacks[static_cast<size_t>(stack)].frame;
  if (!InRange(frame, profile.frames) || !StateOf(process).is_unnamed[static_cast<size_t>(frame)]) return;
  const int32_t library = profile.frames[static_cast<size_t>(frame)].library;
  if (InRange(library, profile.libraries)) {
    missing_names_.AddLibrary(profile.libraries[static_cast<size_t>(library)].path);
  } else {
    missing_names_.AddMadeCode(ProgramName(profile));
  }
}

int32_t ProcessedTables::Stack(size_t process, int32_t stack, bool is_sample, int64_t time_ns) {
  const std::vector<StackRow>& rows = session_.processes[process].stacks;
  if (!InRange(stack, rows)) return kNone;
  const auto index = static_cast<size_t>(stack);
  Process& state = StateOf(process);
  std::vector<int32_t>& known = is_sample ? state.sample_stacks : state.caller_stacks;
  if (known[index] > kUnknown) return known[index];

  // The callers whose row is not known, or depends on the time, innermost first.
  std::vector<int32_t>& callers = state.caller_stacks;
  const std::vector<bool>& is_labelled = state.is_labelled;
  path_.clear();
  int32_t row = is_sample ? PrefixOf(stack, rows) : stack;
  while (row != kNone && callers[static_cast<size_t>(row)] <= kUnknown) {
    path_.push_back(row);
    row = PrefixOf(row, rows);
  }
  int32_t prefix = row != kNone ? callers[static_cast<size_t>(row)] : kNone;
  bool is_changing = false;  // one of the frames so far
  for (size_t i = path_.size(); i > 0; --i) {
    const auto caller = static_cast<size_t>(path_[i - 1]);
    is_changing = is_changing || MayChange(process, rows[caller].frame, /*is_sample=*/false);
    prefix = AddStack(prefix, FramesOf(process, rows[caller].frame, {false, is_labelled[caller]}, time_ns));
    callers[caller] = is_changing ? kChanging : prefix;
  }
  if (!is_sample) return prefix;
  is_changing = is_changing || MayChange(process, rows[index].frame, /*is_sample=*/true);
  prefix = AddStack(prefix, FramesOf(process, rows[index].frame, {true, is_labelled[index]}, time_ns));
  known[index] = is_changing ? kChanging : prefix;
  return prefix;
}

int32_t ProcessedTables::AddStack(int32_t prefix, const std::vector<int32_t>& frames) {
  for (const int32_t frame : frames) prefix = tables_.AddStack(prefix, frame);
  return prefix;
}

bool ProcessedTables::MayChange(size_t process, int32_t frame, bool is_sample) {
  const ProcessProfile& profile = session_.processes[process];
  if (!InRange(frame, profile.frames)) return false;
  const FrameRow& row = profile.frames[static_cast<size_t>(frame)];
  if (row.kind != FrameKind::kInstruction || InRange(row.library, profile.libraries)) return false;
  const uint64_t avma = LookUpAddress(row, is_sample);
  const auto [entry, is_new] = StateOf(process).changes.try_emplace(avma, false);
  if (is_new) entry->second = made_code_.MayChange(process, avma);
  return entry->second;
}

const std::vector<int32_t>& ProcessedTables::FramesOf(size_t process, int32_t frame, Use use, int64_t time_ns) {
  static const std::vector<int32_t> kNoFrames;
  const std::vector<FrameRow>& rows = session_.processes[process].frames;
  if (!InRange(frame, rows)) return kNoFrames;  // is left out
  const FrameRow& row = rows[static_cast<size_t>(frame)];
  if (MayChange(process, frame, use.is_sample)) {
    changing_frames_.clear();
    AddFrames(process, row, use, time_ns, &changing_frames_);
    return changing_frames_;
  }
  std::vector<int32_t>& known = StateOf(process).frames[use.number()][static_cast<size_t>(frame)];
  if (known.empty()) AddFrames(process, row, use, time_ns, &known);
  return known;
}

void ProcessedTables::AddFrames(size_t process, const FrameRow& frame, Use use, int64_t time_ns,
                                std::vector<int32_t>* frames) {
  if (frame.kind == FrameKind::kInstruction) return AddInstruction(process, frame, use, time_ns, frames);
  const StringTable& strings = session_.processes[process].strings;
  std::string_view name = "(root)";
  if (frame.kind != FrameKind::kRoot) {
    name = InRange(frame.text, strings) ? strings[static_cast<size_t>(frame.text)] : "(no text)";
  }
  Frame made;
  made.func = tables_.AddFunc({String(name)});
  if (frame.kind == FrameKind::kRoot) made.category = static_cast<int32_t>(NativeCategory::kOther);
  if (frame.category >= 0) {
    made.category = Category(process, frame.category);
    made.subcategory = Subcategory(process, made.category, frame);
  }
  frames->push_back(tables_.AddFrame(made));
}

void ProcessedTables::AddInstruction(size_t process, const FrameRow& frame, Use use, int64_t time_ns,
                                     std::vector<int32_t>* frames) {
  const ProcessProfile& profile = session_.processes[process];
  const LibraryRow* library =
      InRange(frame.library, profile.libraries) ? &profile.libraries[static_cast<size_t>(frame.library)] : nullptr;
  Frame made;
  if (!use.is_labelled) made.category = static_cast<int32_t>(NativeCategoryOf(library, profile.executable));
  if (frame.category >= 0) {
    made.category = Category(process, frame.category);
    made.subcategory = Subcategory(process, made.category, frame);
  }
  const uint64_t avma = LookUpAddress(frame, use.is_sample);
  const auto number = static_cast<size_t>(&frame - profile.frames.data());
  if (library == nullptr || avma < library->start_avma) {
    StateOf(process).is_unnamed[number] = !AddMadeCode(process, avma, time_ns, &made);
    frames->push_back(tables_.AddFrame(made));
    return;
  }
  made.lib = LibOf(process, frame.library);
  made.address = static_cast<int64_t>(avma - library->start_avma);
  const AddressSymbols* symbols = symbolizer_.FindIn(SymbolsOf(process, frame.library), avma - library->bias);
  StateOf(process).is_unnamed[number] = symbols == nullptr;
  if (symbols != nullptr) {
    // From svma to the format's addresses, which count from the first mapped byte.
    return tables_.AddSymbolFrames(made, symbols->start_svma + library->bias - library->start_avma, *symbols, frames);
  }
  made.func =
      tables_.AddFunc({String(GeckoAddressText(static_cast<uint64_t>(made.address))), tables_.LibResource(made.lib)});
  frames->push_back(tables_.AddFrame(made));
}

// Code without a library has the name that the program wrote down. All the rest of a process is one function, and the
// address stays in the frame for a later look-up.
bool ProcessedTables::AddMadeCode(size_t process, uint64_t avma, int64_t time_ns, Frame* frame) {
  if (const std::string_view name = made_code_.Find(process, avma, time_ns); !name.empty()) {
    frame->func = tables_.AddFunc({String(name)});
    return true;
  }
  frame->address = AddressOfUnnamedCode(avma);
  frame->func = tables_.AddFunc({String(UnnamedCode(ProgramName(session_.processes[process]), avma))});
  return false;
}

SymbolLibrary& ProcessedTables::SymbolsOf(size_t process, int32_t library) {
  SymbolLibrary*& known = StateOf(process).symbols[static_cast<size_t>(library)];
  if (known != nullptr) return *known;
  const ProcessProfile& profile = session_.processes[process];
  const LibraryRow& row = profile.libraries[static_cast<size_t>(library)];
  const HeldFile* held = nullptr;
  if (session_.held_files != nullptr) {
    held =
        session_.held_files->FindObject({profile.pid, profile.pid_namespace}, row.start_avma, row.path, row.build_id);
  }
  known = &symbolizer_.Library(row.path, row.build_id, held);
  return *known;
}

int32_t ProcessedTables::LibOf(size_t process, int32_t library) {
  int32_t& known = StateOf(process).libs[static_cast<size_t>(library)];
  if (known != kUnknown) return known;
  const LibraryRow& row = session_.processes[process].libraries[static_cast<size_t>(library)];
  const std::string path(LibraryPathText(row.path)), name(PathBaseName(path));
  known = tables_.AddLib({"", name, path, name, path, BreakpadId(row.build_id), CodeId(row.build_id)});
  return known;
}

}  // namespace geckoprof
