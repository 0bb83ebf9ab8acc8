#include "platform/files.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/strings.h"
#include "platform/descriptor.h"

namespace bulkhead {

namespace {

tl::unexpected<Error> fail_errno(std::string_view what, std::string_view path) {
  return fail(fmt::format("cannot {} '{}': {}", what, path, std::strerror(errno)));
}

Status write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = retry_eintr([&] { return ::write(descriptor, text.data(), text.size()); });
    if (written < 0) return fail_errno("write", path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> read_from(int descriptor, const std::string& path, std::size_t limit) {
  std::string text;
  std::string buffer(std::min<std::size_t>(limit, 64 * 1024), '\0');
  while (text.size() < limit) {
    const std::size_t wanted = std::min(buffer.size(), limit - text.size());
    const ssize_t got = retry_eintr([&] { return ::read(descriptor, buffer.data(), wanted); });
    if (got < 0) return fail_errno("read", path);
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// Removes what is in the folder `name` of `parent`, then the folder; `path` is for messages.
Status remove_directory_at(int parent, const char* name, const std::string& path) {
  // A folder without write or search permission cannot be emptied: give them back first.
  (void)::fchmodat(parent, name, 0700, 0);
  const int descriptor = retry_eintr(
      [&] { return ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); });
  if (descriptor < 0) return fail_errno("open", path);
  DIR* stream = ::fdopendir(descriptor);
  if (stream == nullptr) {
    ::close(descriptor);
    return fail_errno("open", path);
  }
  Status status;
  while (const dirent* item = ::readdir(stream)) {
    const std::string_view child = item->d_name;
    if (child == "." || child == "..") continue;
    if (::unlinkat(descriptor, item->d_name, 0) == 0 || errno == ENOENT) continue;
    const std::string child_path = path + "/" + item->d_name;
    if (errno == EISDIR || errno == EPERM || errno == EACCES) {
      struct stat info{};
      if (::fstatat(descriptor, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISDIR(info.st_mode)) {
        const Status removed = remove_directory_at(descriptor, item->d_name, child_path);
        if (!removed && status) status = removed;
        continue;
      }
    }
    if (status) status = fail_errno("remove", child_path);
  }
  ::closedir(stream);
  if (!status) return status;
  if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
    return fail_errno("remove", path);
  return {};
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileStamp{
      .mtime_ns = std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
      .size = info.st_size,
      .inode = info.st_ino,
      .directory = S_ISDIR(info.st_mode)};
}

bool is_file(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool is_directory(const std::string& path) {
  const std::optional<FileStamp> stamp = stamp_of(path);
  return stamp && stamp->directory;
}

bool is_executable(const std::string& path) {
  return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

Result<std::string> read_file(const std::string& path) {
  return read_head(path, static_cast<std::size_t>(SSIZE_MAX));
}

Result<std::string> read_head(const std::string& path, std::size_t limit) {
  const Descriptor file(retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return fail_errno("open", path);
  return read_from(file.get(), path, limit);
}

Result<std::string> read_tail(const std::string& path, std::size_t limit) {
  const Descriptor file(retry_eintr([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file) return fail_errno("open", path);
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0) return fail_errno("read", path);
  const off_t start = std::max<off_t>(0, size - static_cast<off_t>(limit));
  if (::lseek(file.get(), start, SEEK_SET) < 0) return fail_errno("read", path);
  return read_from(file.get(), path, limit);
}

Status write_file_atomically(const std::string& path, std::string_view text) {
  // The pid keeps processes apart; a file of a dead process with our pid is simply overwritten.
  const std::string beside = fmt::format("{}.{}.tmp", path, ::getpid());
  const Descriptor file(retry_eintr([&] {
    return ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  }));
  if (!file) return fail_errno("create", beside);
  Status status = write_all(file.get(), text, beside);
  if (status && ::fdatasync(file.get()) != 0) status = fail_errno("flush", beside);
  if (status && ::rename(beside.c_str(), path.c_str()) != 0) status = fail_errno("replace", path);
  if (!status) ::unlink(beside.c_str());
  return status;
}

Status write_file_if_changed(const std::string& path, std::string_view text) {
  const Result<std::string> current = read_file(path);
  if (current && *current == text) return {};
  return write_file_atomically(path, text);
}

void punch_middle(const std::string& path, std::int64_t keep) {
  const Descriptor file(retry_eintr([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0 || info.st_size <= 2 * keep) return;
  (void)::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, keep,
                    info.st_size - 2 * keep);
}

Status cut_file_middle(const std::string& path, std::int64_t keep) {
  const std::optional<FileStamp> stamp = stamp_of(path);
  if (!stamp || stamp->size <= 2 * keep) return {};
  Result<std::string> text = read_head(path, static_cast<std::size_t>(keep));
  if (!text) return propagate(text);
  const Result<std::string> tail = read_tail(path, static_cast<std::size_t>(keep));
  if (!tail) return propagate(tail);
  *text += fmt::format("\n[... {} bytes cut ...]\n", stamp->size - 2 * keep);
  *text += *tail;
  return write_file_atomically(path, *text);
}

Status create_file(const std::string& path) {
  const Descriptor file(retry_eintr([&] {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  }));
  if (!file) return fail_errno("create", path);
  return {};
}

Status make_directories(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || (errno == EEXIST && is_directory(path))) return {};
  if (errno != ENOENT) return fail_errno("create folder", path);
  const std::string parent = parent_of(path);
  if (parent == path) return fail_errno("create folder", path);
  const Status made = make_directories(parent);
  if (!made) return made;
  if (::mkdir(path.c_str(), 0755) == 0 || (errno == EEXIST && is_directory(path))) return {};
  return fail_errno("create folder", path);
}

Result<std::string> make_unique_directory(const std::string& parent, std::string_view prefix) {
  std::string path = fmt::format("{}/{}XXXXXX", parent, prefix);
  if (::mkdtemp(path.data()) == nullptr) return fail_errno("create folder", path);
  return path;
}

Status remove_tree(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  struct stat info{};
  const int unlink_errno = errno;
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT ? Status() : fail_errno("remove", path);
  if (!S_ISDIR(info.st_mode)) {
    errno = unlink_errno;
    return fail_errno("remove", path);
  }
  return remove_directory_at(AT_FDCWD, path.c_str(), path);
}

Result<std::vector<DirectoryItem>> list_directory(const std::string& path) {
  DIR* stream = ::opendir(path.c_str());
  if (stream == nullptr) return fail_errno("list", path);
  std::vector<DirectoryItem> items;
  while (const dirent* item = ::readdir(stream)) {
    const std::string_view name = item->d_name;
    if (name == "." || name == "..") continue;
    const bool unsure = item->d_type == DT_LNK || item->d_type == DT_UNKNOWN;
    items.push_back({.name = std::string(name),
                     .directory = unsure ? is_directory(path + "/" + item->d_name)
                                         : item->d_type == DT_DIR});
  }
  ::closedir(stream);
  std::ranges::sort(items, {}, &DirectoryItem::name);
  return items;
}

Status replace_symlink(const std::string& link, const std::string& target) {
  const std::string beside = fmt::format("{}.{}.tmp", link, ::getpid());
  ::unlink(beside.c_str());
  if (::symlink(target.c_str(), beside.c_str()) != 0) return fail_errno("create", beside);
  if (::rename(beside.c_str(), link.c_str()) == 0) return {};
  ::unlink(beside.c_str());
  return fail_errno("replace", link);
}

std::string absolute_path(const std::string& path) {
  std::string whole = path;
  if (path.empty() || path[0] != '/') {
    char* folder = ::getcwd(nullptr, 0);
    if (folder != nullptr) whole = std::string(folder) + "/" + path;
    std::free(folder);
  }
  std::vector<std::string_view> kept;
  for (const std::string_view part : split(whole, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!kept.empty()) kept.pop_back();
    } else {
      kept.push_back(part);
    }
  }
  std::string folded;
  for (const std::string_view part : kept) folded.append("/").append(part);
  return folded.empty() ? "/" : folded;
}

std::string real_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string real = resolved;
  std::free(resolved);
  return real;
}

std::string relative_to(const std::string& path, const std::string& base) {
  if (base == "/") return path.size() > 1 && path[0] == '/' ? path.substr(1) : path;
  if (path.size() > base.size() && path.compare(0, base.size(), base) == 0 &&
      path[base.size()] == '/') {
    return path.substr(base.size() + 1);
  }
  return path;
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (!name.empty() && name[0] == '/') return std::string(name);
  std::string path(folder);
  if (path.empty()) return std::string(name);
  if (path.back() != '/') path += '/';
  path += name;
  return path;
}

Result<FileLock> FileLock::acquire(const std::string& path) {
  const int descriptor =
      retry_eintr([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644); });
  if (descriptor < 0) return fail_errno("open", path);
  if (retry_eintr([&] { return ::flock(descriptor, LOCK_EX); }) != 0) {
    const auto failed = fail_errno("lock", path);
    ::close(descriptor);
    return failed;
  }
  return FileLock(descriptor);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(other.descriptor_) {
  other.descriptor_ = -1;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace bulkhead
