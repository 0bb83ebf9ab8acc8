#include <cstdlib>
#include <cstring>
#include <ctime>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/strings.h"
#include "platform/environment.h"
#include "platform/files.h"

extern char** environ;  // POSIX.1-2017, 8.1: declared by the program

namespace bulkhead {

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::string link_target(const std::string& link) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  if (length < 0) return {};
  target.resize(static_cast<std::size_t>(length));
  return target;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Processors that a cgroup quota of `quota` microseconds per `period` stands for, rounded up.
int processors_of(std::string_view quota, std::string_view period) {
  const auto time = number_in<long long>(quota);
  const auto span = number_in<long long>(period);
  if (!time || !span || *time <= 0 || *span <= 0) return 0;
  return static_cast<int>((*time + *span - 1) / *span);
}

// The least quota on this process's way up the cgroup tree (Linux, admin-guide/cgroup-v2, cpu.max
// and cgroup-v1, cpu.cfs_quota_us); 0 where there is none.
int cgroup_processors() {
  const Result<std::string> groups = read_file("/proc/self/cgroup");
  if (!groups) return 0;
  int least = 0;
  const auto take = [&](int processors) {
    if (processors > 0 && (least == 0 || processors < least)) least = processors;
  };
  for (const std::string_view line : split(*groups, '\n')) {
    const std::vector<std::string_view> fields = split(line, ':');
    if (fields.size() < 3) continue;
    const bool version2 = fields[1].empty();
    if (!version2 && fields[1].find("cpu") == std::string_view::npos) continue;
    for (std::string path(fields[2]);; path = parent_of(path)) {
      if (version2) {
        const Result<std::string> text = read_file("/sys/fs/cgroup" + path + "/cpu.max");
        if (text) {
          const std::vector<std::string_view> words = split_words(trim(*text));
          if (words.size() == 2) take(processors_of(words[0], words[1]));
        }
      } else {
        const std::string folder = "/sys/fs/cgroup/" + std::string(fields[1]) + path;
        const Result<std::string> quota = read_file(folder + "/cpu.cfs_quota_us");
        const Result<std::string> period = read_file(folder + "/cpu.cfs_period_us");
        if (quota && period) take(processors_of(trim(*quota), trim(*period)));
      }
      if (path == "/" || path == "." || path.empty()) break;
    }
  }
  return least;
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::vector<std::pair<std::string, std::string>> whole_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string working_directory() { return absolute_path("."); }

std::string own_executable() { return link_target("/proc/self/exe"); }

std::int64_t own_pid() { return ::getpid(); }

double wall_clock_s() { return seconds_of(CLOCK_REALTIME); }

double monotonic_s() { return seconds_of(CLOCK_MONOTONIC); }

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::optional<ProcessInfo> process_info(std::int64_t pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  const Result<std::string> stat = read_file(folder + "/stat");
  if (!stat) return std::nullopt;
  // proc(5): `pid (comm) state ppid …`; comm may hold blanks and parentheses.
  const auto open = stat->find('(');
  const auto close = stat->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const std::vector<std::string_view> fields =
      split(std::string_view(*stat).substr(close + 2), ' ');
  if (fields.size() < 20) return std::nullopt;
  ProcessInfo info;
  info.pid = pid;
  info.name = stat->substr(open + 1, close - open - 1);
  info.parent = number_in<std::int64_t>(fields[1]).value_or(0);
  info.start_ticks = number_in<std::uint64_t>(fields[19]).value_or(0);
  const Result<std::string> command = read_file(folder + "/cmdline");
  if (command && !command->empty()) {
    std::string_view arguments = *command;
    if (arguments.back() == '\0') arguments.remove_suffix(1);
    for (const std::string_view argument : split(arguments, '\0'))
      info.command_line.emplace_back(argument);
  }
  info.working_directory = link_target(folder + "/cwd");
  return info;
}

std::int64_t parent_pid() { return ::getppid(); }

std::string boot_id() {
  const Result<std::string> id = read_head("/proc/sys/kernel/random/boot_id", 8);
  return id && id->size() == 8 ? *id : std::string("00000000");
}

int usable_processors() {
  int processors = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    processors = std::min(processors, CPU_COUNT(&set));
  const int quota = cgroup_processors();
  if (quota > 0) processors = std::min(processors, quota);
  return std::max(1, processors);
}

std::string find_on_path(const std::string& name) {
  const std::string path = environment_variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (const std::string_view folder : split(path, ':')) {
    const std::string candidate =
        absolute_path(join_path(folder.empty() ? "." : folder, name));
    if (is_executable(candidate)) return candidate;
  }
  return {};
}

}  // namespace bulkhead
