#include "platform/proc_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/strings.h"

namespace bulkhead {

namespace {

// The first `limit` bytes of a /proc file, empty where it is gone.
std::string slurp(const std::string& path, std::size_t limit = 4096) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  std::string text(limit, '\0');
  const ssize_t size = ::read(descriptor, text.data(), text.size());
  ::close(descriptor);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

std::string proc_path(std::int64_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

bool read_row(std::int64_t pid, ProcRow& row) {
  const std::string stat = slurp(proc_path(pid, "stat"), 1024);
  // The name in parentheses may itself hold anything, also `)`.
  const auto close = stat.rfind(')');
  if (close == std::string::npos || close + 2 >= stat.size()) return false;
  const auto fields = split(std::string_view(stat).substr(close + 2), ' ');
  if (fields.size() < 20) return false;
  row.pid = pid;
  row.state = fields[0].empty() ? '?' : fields[0][0];
  row.parent = number<std::int64_t>(fields[1]);
  row.start_ticks = number<std::uint64_t>(fields[19]);
  return true;
}

}  // namespace

std::vector<ProcRow> proc_descendants(std::int64_t root, const ProcFilter& filter) {
  std::vector<ProcRow> rows;
  const Directory proc(::opendir("/proc"));
  if (!proc) return rows;
  while (const dirent* item = ::readdir(proc.get())) {
    const std::string_view name = item->d_name;
    if (name[0] < '1' || name[0] > '9') continue;
    const auto pid = number<std::int64_t>(name);
    if (pid <= filter.above || pid == root ||
        std::find(filter.except.begin(), filter.except.end(), pid) != filter.except.end())
      continue;
    ProcRow row;
    if (read_row(pid, row)) rows.push_back(row);
  }
  // Move the children of what is already known to the front until there are no more.
  std::size_t known = 0;
  std::vector<std::int64_t> parents = {root};
  for (std::size_t next = 0; next < parents.size(); ++next) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(known);
    const auto end = std::partition(
        begin, rows.end(), [&](const ProcRow& row) { return row.parent == parents[next]; });
    for (auto row = begin; row != end; ++row) parents.push_back(row->pid);
    known = static_cast<std::size_t>(end - rows.begin());
  }
  rows.resize(known);
  return rows;
}

std::string proc_command_line(std::int64_t pid) {
  std::string line = slurp(proc_path(pid, "cmdline"));
  while (!line.empty() && line.back() == '\0') line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  if (!line.empty()) return line;
  const std::string name = slurp(proc_path(pid, "comm"), 64);
  return "[" + std::string(trim(name)) + "]";
}

double proc_age_s(const ProcRow& row) {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const double up = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  const double start =
      static_cast<double>(row.start_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return std::max(0.0, up - start);
}

std::int64_t proc_open_descriptors(std::int64_t pid) {
  const std::string path = proc_path(pid, "fd");
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return -1;
  if (info.st_size > 0) return info.st_size;
  const Directory folder(::opendir(path.c_str()));
  if (!folder) return -1;
  std::int64_t count = 0;
  while (const dirent* item = ::readdir(folder.get())) {
    if (item->d_name[0] != '.') ++count;
  }
  return count;
}

bool proc_catches(std::int64_t pid, int signal) {
  const std::string status = slurp(proc_path(pid, "status"), 8192);
  const auto at = status.find("\nSigCgt:");
  if (at == std::string::npos || signal < 1 || signal > 64) return false;
  const std::uint64_t mask = std::strtoull(status.c_str() + at + 8, nullptr, 16);
  return (mask >> (signal - 1)) & 1U;
}

}  // namespace bulkhead
