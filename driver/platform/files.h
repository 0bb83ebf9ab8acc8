// Files and folders. Paths are bytes, `/`-separated. Every error names the path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bulkhead {

struct FileStamp {
  std::int64_t mtime_ns = 0;
  std::int64_t size = 0;
  std::uint64_t inode = 0;
  bool directory = false;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Follows symbolic links; nothing where the path does not exist or cannot be reached.
std::optional<FileStamp> stamp_of(const std::string& path);

bool is_file(const std::string& path);
bool is_directory(const std::string& path);
bool is_executable(const std::string& path);

// The whole file. An `ErrorKind::kInfrastructure` error where it cannot be read.
Result<std::string> read_file(const std::string& path);
// At most `limit` bytes of its start (its end).
Result<std::string> read_head(const std::string& path, std::size_t limit);
Result<std::string> read_tail(const std::string& path, std::size_t limit);

// Replaces `path` in one step: writes `text` beside it, flushes and renames (POSIX rename(2)), so
// that a reader sees the old file or the whole new one, and a crash leaves one of the two.
Status write_file_atomically(const std::string& path, std::string_view text);
// The same, but leaves an equal file alone, so that its modification time tells of real changes.
Status write_file_if_changed(const std::string& path, std::string_view text);

// Gives back the disk space of a file that grows while others append to it: all but its first and
// last `keep` bytes become a hole (fallocate(2), FALLOC_FL_PUNCH_HOLE), its size stays. Where the
// file system has no holes, nothing happens.
void punch_middle(const std::string& path, std::int64_t keep);
// The same for good, once nobody appends any more: a line `[... N bytes cut ...]` stands for what
// was cut. A file of at most twice `keep` stays as it is.
Status cut_file_middle(const std::string& path, std::int64_t keep);

// Creates an empty file; an error where the path exists.
Status create_file(const std::string& path);

// Creates the folder and its parents; one that exists is fine.
Status make_directories(const std::string& path);

// A new folder with a unique name `<parent>/<prefix>XXXXXX`, mode 0700.
Result<std::string> make_unique_directory(const std::string& parent, std::string_view prefix);

// Removes the tree whatever its permissions (folders are made writable first); symbolic links are
// removed, never followed. A path that does not exist is fine.
Status remove_tree(const std::string& path);

struct DirectoryItem {
  std::string name;
  bool directory = false;  // symbolic links are followed
};
// Without `.` and `..`, sorted by name, bytewise.
Result<std::vector<DirectoryItem>> list_directory(const std::string& path);

// Points the symbolic link `link` at `target`, replacing it in one step.
Status replace_symlink(const std::string& link, const std::string& target);

// The path made absolute against the working directory, with `.`, `..` and `//` folded away;
// symbolic links are left alone.
std::string absolute_path(const std::string& path);
// Symbolic links resolved too; the input where it does not exist.
std::string real_path(const std::string& path);
// `path` relative to `base` where it lies below it, otherwise `path`. Both absolute and folded.
std::string relative_to(const std::string& path, const std::string& base);
std::string parent_of(const std::string& path);
std::string join_path(std::string_view folder, std::string_view name);

// An exclusive advisory lock (flock(2)) on a file, held while the object lives.
class FileLock {
 public:
  // Waits for the lock.
  static Result<FileLock> acquire(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace bulkhead
