#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "platform/descriptor.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process.h"

namespace bulkhead {

namespace {

constexpr std::size_t kMaxCaptured = 16u * 1024 * 1024;
constexpr double kDrain_s = 1;

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the command in a session of its own with the two pipes as its output.
Result<pid_t> start(const Command& command, int out, int err) {
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> variables;
  for (const auto& [name, value] :
       command.environment ? *command.environment : whole_environment())
    variables.push_back(name + "=" + value);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  if (!command.working_directory.empty())
    posix_spawn_file_actions_addchdir_np(&actions, command.working_directory.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, arguments[0].c_str(), &actions, &attributes,
                                   pointers_to(arguments).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return fail(fmt::format("cannot run '{}': {}", command.argv[0], std::strerror(error)));
  return pid;
}

// Reads what is there; answers false at the end of the pipe.
bool drain(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t got = retry_eintr([&] { return ::read(descriptor, buffer.data(), buffer.size()); });
  if (got <= 0) return got < 0 && errno == EAGAIN;
  const std::size_t room = kMaxCaptured - std::min(kMaxCaptured, text.size());
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  return true;
}

ProcessEnd end_of(int status) {
  if (WIFSIGNALED(status))
    return {.kind = ProcessEnd::Kind::kSignaled, .signal = WTERMSIG(status)};
  return {.kind = ProcessEnd::Kind::kExited, .code = WEXITSTATUS(status)};
}

}  // namespace

Result<CapturedProcess> run_captured(const Command& command, double timeout_s) {
  Result<Pipe> out = make_pipe();
  if (!out) return propagate(out);
  Result<Pipe> err = make_pipe();
  if (!err) return propagate(err);
  const Result<pid_t> pid = start(command, out->write.get(), err->write.get());
  if (!pid) return propagate(pid);
  out->write.reset();
  err->write.reset();

  CapturedProcess captured;
  double deadline = monotonic_s() + timeout_s;
  bool ended = false;
  while (!ended || out->read || err->read) {
    const double left = deadline - monotonic_s();
    if (left <= 0) {
      if (ended) break;  // somebody else holds the pipes: enough
      captured.timed_out = true;
      ::kill(-*pid, SIGKILL);
      ::kill(*pid, SIGKILL);
      deadline = monotonic_s() + kDrain_s;
    }
    std::array<pollfd, 2> waited = {pollfd{out->read.get(), POLLIN, 0},
                                    pollfd{err->read.get(), POLLIN, 0}};
    // Ten milliseconds bound how late the end of a process that closed its output is seen.
    (void)::poll(waited.data(), waited.size(), out->read || err->read ? 10 : 1);
    if (waited[0].revents != 0 && !drain(out->read.get(), captured.out)) out->read.reset();
    if (waited[1].revents != 0 && !drain(err->read.get(), captured.err)) err->read.reset();
    int status = 0;
    if (!ended && ::waitpid(*pid, &status, WNOHANG) == *pid) {
      ended = true;
      captured.end = end_of(status);
      deadline = monotonic_s() + kDrain_s;
    }
  }
  return captured;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string describe(const ProcessEnd& end) {
  switch (end.kind) {
    case ProcessEnd::Kind::kExited: return fmt::format("exit status {}", end.code);
    case ProcessEnd::Kind::kSignaled: return "killed by " + signal_name(end.signal);
    case ProcessEnd::Kind::kNotStarted: break;
  }
  return "not started";
}

}  // namespace bulkhead
