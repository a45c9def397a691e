#include "session_folder.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "geckoprof/reader/segment_reader.h"

namespace geckoprof {

SessionFolder::SessionFolder() {
  char name[] = "/tmp/geckoprof-session-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

SessionFolder::~SessionFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

namespace {

// Its process ended, or called exec, while it was being made.
bool IsUnfinished(const std::filesystem::path& path) {
  char magic[8] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof(magic));
  return std::all_of(std::begin(magic), std::end(magic), [](char byte) { return byte == 0; });
}

}  // namespace

std::vector<ProcessProfile> SessionFolder::Read() const {
  std::vector<ProcessProfile> profiles;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    if (entry.path().extension() != ".segment" || IsUnfinished(entry.path())) continue;
    ProcessProfile profile;
    const SegmentReadResult result = ReadSegmentFile(entry.path().c_str(), profile);
    if (result.status != SegmentReadStatus::kOk) {
      throw std::runtime_error(entry.path().string() + ": status " + std::to_string(static_cast<int>(result.status)));
    }
    profiles.push_back(std::move(profile));
  }
  std::sort(profiles.begin(), profiles.end(), [](const ProcessProfile& a, const ProcessProfile& b) {
    return a.pid != b.pid ? a.pid < b.pid : a.image < b.image;
  });
  return profiles;
}

ProcessProfile SessionFolder::ReadOnly(int32_t pid, uint32_t image) const {
  for (ProcessProfile& profile : Read()) {
    if (profile.pid == pid && profile.image == image) return std::move(profile);
  }
  throw std::runtime_error("no segment of process " + std::to_string(pid) + ", image " + std::to_string(image));
}

const ThreadRow* FindThread(const ProcessProfile& profile, std::string_view name) {
  for (const ThreadRow& thread : profile.threads) {
    if (thread.name == name) return &thread;
  }
  return nullptr;
}

const ThreadRow& MainThread(const ProcessProfile& profile) {
  if (profile.threads.empty() || !profile.threads[0].is_main) throw std::runtime_error("no main thread");
  return profile.threads[0];
}

size_t CountSamples(const ProcessProfile& profile) {
  size_t count = 0;
  for (const ThreadRow& thread : profile.threads) count += thread.samples.size();
  return count;
}

std::vector<const FrameRow*> FramesOf(const ProcessProfile& profile, int32_t stack) {
  std::vector<const FrameRow*> frames;
  while (stack != kNone) {
    const StackRow& row = profile.stacks.at(static_cast<size_t>(stack));
    frames.push_back(&profile.frames.at(static_cast<size_t>(row.frame)));
    stack = row.prefix;
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

std::string_view TextOf(const ProcessProfile& profile, int32_t string) {
  return string == kNone ? std::string_view() : profile.strings[static_cast<size_t>(string)];
}

std::string LibraryOf(const ProcessProfile& profile, const FrameRow& frame) {
  if (frame.library == kNone) return {};
  return std::filesystem::path(profile.libraries.at(static_cast<size_t>(frame.library)).path).filename().string();
}

bool StackHasLibrary(const ProcessProfile& profile, int32_t stack, std::string_view library) {
  const auto frames = FramesOf(profile, stack);
  return std::any_of(frames.begin(), frames.end(),
                     [&](const FrameRow* frame) { return LibraryOf(profile, *frame) == library; });
}

bool StackHasLabel(const ProcessProfile& profile, int32_t stack, std::string_view label) {
  const auto frames = FramesOf(profile, stack);
  return std::any_of(frames.begin(), frames.end(), [&](const FrameRow* frame) {
    return frame->kind == FrameKind::kLabel && TextOf(profile, frame->text) == label;
  });
}

std::vector<MarkerRow> OwnMarkers(const ProcessProfile& profile, const ThreadRow& thread) {
  std::vector<MarkerRow> found;
  for (const MarkerRow& marker : thread.markers) {
    if (TextOf(profile, marker.name) != "gap") found.push_back(marker);
  }
  return found;
}

std::vector<MarkerRow> MarkersNamed(const ProcessProfile& profile, std::string_view name) {
  std::vector<MarkerRow> found;
  for (const ThreadRow& thread : profile.threads) {
    for (const MarkerRow& marker : thread.markers) {
      if (TextOf(profile, marker.name) == name) found.push_back(marker);
    }
  }
  return found;
}

std::string MarkerText(const ProcessProfile& profile, const MarkerRow& marker) {
  for (const MarkerField& field : marker.fields) {
    if (field.kind == MarkerFieldKind::kText) return std::string(TextOf(profile, field.text));
  }
  return {};
}

}  // namespace geckoprof
