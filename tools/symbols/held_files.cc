#include "tools/symbols/held_files.h"

#include <sys/stat.h>

#include <utility>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

int64_t Nanoseconds(const timespec& time) {
  constexpr int64_t kNsPerS = 1'000'000'000;
  return int64_t{time.tv_sec} * kNsPerS + time.tv_nsec;
}

}  // namespace

FileIdentity FileIdentity::Of(std::string path) {
  FileIdentity identity;
  identity.path = std::move(path);
  struct stat status;
  if (stat(identity.path.c_str(), &status) != 0) return identity;
  identity.exists = true;
  identity.size_bytes = static_cast<uint64_t>(status.st_size);
  identity.inode = status.st_ino;
  identity.modified_ns = Nanoseconds(status.st_mtim);
  identity.changed_ns = Nanoseconds(status.st_ctim);
  return identity;
}

namespace {

// The path of an open file, by which stat(2) reaches it also where it has lost its name.
FileIdentity IdentityOf(const Fd& file) { return FileIdentity::Of(Concat("/proc/self/fd/", file.number())); }

}  // namespace

HeldFile::HeldFile(Fd file, std::string path)
    : file_(std::move(file)), path_(std::move(path)), identity_(IdentityOf(file_)) {
  const absl::StatusOr<std::unique_ptr<ElfImage>> image = ElfImage::OpenDescriptor(file_, path_);
  is_object_ = image.ok();
  if (image.ok()) build_id_ = (*image)->BuildId();
}

absl::StatusOr<std::unique_ptr<ElfImage>> HeldFile::Open() const {
  // A build id is compared by the caller. Without one, only the file's own marks tell that it is the same.
  const FileIdentity now = IdentityOf(file_);
  if (build_id_.empty() && (now.size_bytes != identity_.size_bytes || now.modified_ns != identity_.modified_ns)) {
    return absl::FailedPreconditionError(Concat(path_, " was written to while it was recorded"));
  }
  return ElfImage::OpenDescriptor(file_, path_);
}

const HeldFile* HeldFiles::AddObject(Fd file, std::string path) {
  auto held = std::make_unique<HeldFile>(std::move(file), std::move(path));
  if (!held->is_object()) return nullptr;
  const HeldFile* const object = held.get();
  if (!object->build_id().empty()) by_build_id_[{object->path(), object->build_id()}] = object;
  objects_.emplace(object, std::move(held));
  return object;
}

void HeldFiles::RemoveObject(const HeldFile* object) {
  if (const auto known = by_build_id_.find({object->path(), object->build_id()});
      known != by_build_id_.end() && known->second == object) {
    by_build_id_.erase(known);
  }
  absl::erase_if(mappings_, [object](const auto& mapping) { return mapping.second == object; });
  objects_.erase(object);
}

void HeldFiles::RemoveProcess(ProcessId process) {
  absl::erase_if(mappings_, [&process](const auto& mapping) { return mapping.first.first == process; });
  jit_files_.erase(process);
}

const HeldFile* HeldFiles::FindObject(ProcessId process, uint64_t start_avma, const std::string& path,
                                      const std::string& build_id) const {
  if (build_id.empty()) {
    const auto mapped = mappings_.find({process, start_avma});
    return mapped != mappings_.end() && mapped->second->path() == path ? mapped->second : nullptr;
  }
  const auto known = by_build_id_.find({path, build_id});
  return known != by_build_id_.end() ? known->second : nullptr;
}

const std::deque<HeldJitFile>* HeldFiles::FindJitFiles(ProcessId process) const {
  const auto known = jit_files_.find(process);
  return known != jit_files_.end() ? &known->second : nullptr;
}

}  // namespace geckoprof
