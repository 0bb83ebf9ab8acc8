#include "platform/spawn_linux.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "platform/environment.h"

namespace bulkhead {

namespace {

// Everything the child needs, prepared before it exists. It shares our memory until it executes
// (CLONE_VM), so it can say here what failed, and we wait until it has executed or ended
// (CLONE_VFORK): no pipe is needed, and none of our pages is copied.
struct Launch {
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* working_directory = nullptr;
  int log = -1;
  rlim_t descriptor_limit = 0;
  pid_t parent = 0;
  const char* failed_step = nullptr;
  int error = 0;
};

constexpr unsigned kCloseRangeCloexec = 1U << 2;

void close_all_at_exec() {
  if (::syscall(SYS_close_range, 3U, ~0U, kCloseRangeCloexec) == 0) return;
  // Before Linux 5.11: one by one.
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 65536) limit.rlim_cur = 65536;
  for (int descriptor = 3; descriptor < static_cast<int>(limit.rlim_cur); ++descriptor)
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// Runs in the child on a stack of its own; only async-signal-safe calls.
int child(void* argument) {
  Launch& launch = *static_cast<Launch*>(argument);
  const auto stop = [&launch](const char* step) {
    launch.failed_step = step;
    launch.error = errno;
    ::_exit(127);
    return 0;
  };
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  // Fails for SIGKILL, SIGSTOP and the two that the C library keeps to itself; no harm.
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  if (::setsid() < 0) return stop("cannot start a session for");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.parent) ::_exit(127);  // it died before the line above
  if (launch.working_directory != nullptr && ::chdir(launch.working_directory) != 0)
    return stop("cannot enter the working directory of");
  const int null = ::open("/dev/null", O_RDONLY);
  if (null < 0) return stop("cannot open /dev/null for");
  // The log may itself be 0, 1 or 2 where we were started with those closed.
  int log = launch.log;
  if (log <= STDERR_FILENO) log = ::fcntl(log, F_DUPFD_CLOEXEC, 3);
  if (log < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(log, STDOUT_FILENO) < 0 ||
      ::dup2(log, STDERR_FILENO) < 0)
    return stop("cannot redirect the output of");
  close_all_at_exec();
  if (launch.descriptor_limit > 0) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = launch.descriptor_limit;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return stop("cannot set RLIMIT_NOFILE of");
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(launch.path, launch.argv, launch.envp);
  return stop("cannot run");
}

// A NULL-terminated array of the strings' addresses, as execve(2) takes it.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> array;
  array.reserve(strings.size() + 1);
  for (std::string& text : strings) array.push_back(text.data());
  array.push_back(nullptr);
  return array;
}

}  // namespace

Result<std::int64_t> spawn(const TreeCommand& command) {
  if (command.command.argv.empty()) return fail("cannot run an empty command");
  std::vector<std::string> argv = command.command.argv;
  const std::string program = argv[0];
  const std::string path =
      program.find('/') == std::string::npos ? find_on_path(program) : program;
  if (path.empty()) return fail(fmt::format("cannot run '{}': not found on PATH", program));

  std::vector<std::string> environment;
  for (const auto& [name, value] : command.command.environment ? *command.command.environment
                                                               : whole_environment())
    environment.push_back(name + "=" + value);

  const int log = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log < 0) return fail(fmt::format("cannot open '{}': {}", command.log, std::strerror(errno)));

  constexpr std::size_t kStackBytes = 64 * 1024;
  void* stack = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    ::close(log);
    return fail(fmt::format("cannot run '{}': {}", program, std::strerror(errno)));
  }

  const std::vector<char*> argv_pointers = pointers(argv);
  const std::vector<char*> environment_pointers = pointers(environment);
  const std::string& folder = command.command.working_directory;
  Launch launch{.path = path.c_str(),
                .argv = argv_pointers.data(),
                .envp = environment_pointers.data(),
                .working_directory = folder.empty() ? nullptr : folder.c_str(),
                .log = log,
                .descriptor_limit = static_cast<rlim_t>(command.descriptor_limit),
                .parent = ::getpid()};

  // No handler of ours may run in the child while it shares our memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const int pid = ::clone(child, static_cast<char*>(stack) + kStackBytes,
                          CLONE_VM | CLONE_VFORK | SIGCHLD, &launch);
  const int clone_error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::munmap(stack, kStackBytes);
  ::close(log);
  if (pid < 0)
    return fail(fmt::format("cannot run '{}': {}", program, std::strerror(clone_error)));
  if (launch.failed_step != nullptr) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return fail(
        fmt::format("{} '{}': {}", launch.failed_step, program, std::strerror(launch.error)));
  }
  return pid;
}

}  // namespace bulkhead
