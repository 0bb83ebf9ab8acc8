#include "platform/process_tree.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>
#include <utility>

#include "platform/environment.h"
#include "platform/files.h"
#include "platform/proc_linux.h"
#include "platform/spawn_linux.h"

namespace bulkhead {

namespace {

constexpr double kForced = 5;  // seconds for killed processes to be gone

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Whether the caller has any child, ended ones included. As a subreaper it then has any
// descendant at all.
bool have_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void pause_for(double duration_s) { ::poll(nullptr, 0, static_cast<int>(duration_s * 1000)); }

// Takes one ended child; its pid, or 0 where none waits.
pid_t reap(int& status, TreeUsage* usage) {
  rusage use{};
  const pid_t pid = ::wait4(-1, &status, WNOHANG, &use);
  if (pid <= 0) return 0;
  if (usage != nullptr) {
    usage->user_s += seconds(use.ru_utime);
    usage->system_s += seconds(use.ru_stime);
    usage->peak_rss_kib = std::max(usage->peak_rss_kib, std::int64_t{use.ru_maxrss});
  }
  return pid;
}

ProcessEnd end_of(int status) {
  if (WIFSIGNALED(status))
    return {.kind = ProcessEnd::Kind::kSignaled, .signal = WTERMSIG(status)};
  return {.kind = ProcessEnd::Kind::kExited, .code = WEXITSTATUS(status)};
}

void signal_descendants(int signal) {
  for (const ProcRow& row : proc_descendants(::getpid())) {
    if (!row.ended()) ::kill(static_cast<pid_t>(row.pid), signal);
  }
}

}  // namespace

Status become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    return fail(std::string("cannot become a child subreaper: ") + std::strerror(errno));
  return {};
}

int stacks_signal() { return SIGRTMIN + 7; }

std::vector<Leftover> living_descendants() {
  std::vector<Leftover> living;
  if (!have_children()) return living;
  for (const ProcRow& row : proc_descendants(::getpid())) {
    if (row.ended()) continue;
    living.push_back({row.pid, proc_command_line(row.pid), proc_age_s(row)});
  }
  return living;
}

bool kill_descendants(double limit_s, TreeUsage* usage,
                      const std::vector<std::int64_t>& spared) {
  const double deadline = monotonic_s() + limit_s;
  const auto any_left = [&] {
    return have_children() &&
           (spared.empty() || !proc_descendants(::getpid(), {.except = spared}).empty());
  };
  double interval = 0.001;
  while (any_left()) {
    std::set<std::int64_t> stopped;
    for (std::size_t before = 1; before != 0;) {
      before = 0;
      for (const ProcRow& row : proc_descendants(::getpid(), {.except = spared})) {
        if (row.ended() || !stopped.insert(row.pid).second) continue;
        ::kill(static_cast<pid_t>(row.pid), SIGSTOP);
        ++before;
      }
    }
    for (const std::int64_t pid : stopped) ::kill(static_cast<pid_t>(pid), SIGKILL);
    int status = 0;
    while (reap(status, usage) != 0) {
    }
    if (monotonic_s() >= deadline) return !any_left();
    if (any_left()) pause_for(interval);
    interval = std::min(interval * 2, 0.05);
  }
  return true;
}

struct ProcessTree::State {
  pid_t pid = 0;
  int pidfd = -1;
  std::string log;
  std::int64_t log_keep = 0;
  ProcessEnd end;
  TreeUsage usage;
  double sample_interval_s = 0.025;
  double next_sample_s = 0;

  ~State() {
    if (pidfd >= 0) ::close(pidfd);
  }

  bool ended() const { return end.kind != ProcessEnd::Kind::kNotStarted; }

  void reap_all() {
    int status = 0;
    while (const pid_t ended = reap(status, &usage)) {
      if (ended == pid) end = end_of(status);
    }
  }

  void sample() {
    if (log_keep > 0) punch_middle(log, log_keep);
    // Descendants are younger: but for a wrap of the pids, theirs are higher.
    for (const ProcRow& row : proc_descendants(::getpid(), {.above = pid - 1})) {
      if (!row.ended()) note_descriptors(row.pid);
    }
  }

  void note_descriptors(std::int64_t of) {
    const std::int64_t open = proc_open_descriptors(of);
    if (open <= usage.peak_descriptors) return;
    usage.peak_descriptors = open;
    usage.peak_descriptors_pid = of;
  }

  // Stops the tree and ourselves, as Ctrl-Z asks, until we are continued.
  static void suspend() {
    signal_descendants(SIGSTOP);
    ::kill(::getpid(), SIGSTOP);
    signal_descendants(SIGCONT);
  }
};

ProcessTree::ProcessTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProcessTree::ProcessTree(ProcessTree&&) noexcept = default;
ProcessTree::~ProcessTree() {
  if (state_) kill_descendants(kForced);
}

Result<ProcessTree> ProcessTree::start(const TreeCommand& command) {
  const auto pid = spawn(command);
  if (!pid) return propagate(pid);
  auto state = std::make_unique<State>();
  state->pid = static_cast<pid_t>(*pid);
  state->log = command.log;
  state->log_keep = command.log_keep;
  // Readable once the process has ended. Without it (before Linux 5.3) wait() looks every 10 ms.
  state->pidfd = static_cast<int>(::syscall(SYS_pidfd_open, state->pid, 0));
  state->next_sample_s = monotonic_s() + state->sample_interval_s;
  return ProcessTree(std::move(state));
}

std::int64_t ProcessTree::pid() const { return state_->pid; }
ProcessEnd ProcessTree::end() const { return state_->end; }
const TreeUsage& ProcessTree::usage() const { return state_->usage; }

ProcessTree::Wait ProcessTree::wait(std::optional<double> timeout_s, StopSignals* stop) {
  State& state = *state_;
  double deadline = timeout_s ? monotonic_s() + *timeout_s : HUGE_VAL;
  for (;;) {
    state.reap_all();
    if (state.ended()) return Wait::kEnded;
    if (stop != nullptr) {
      while (const auto signal = stop->take()) {
        if (*signal != SIGTSTP) return Wait::kStopRequested;
        const double stopped_at = monotonic_s();
        State::suspend();
        deadline += monotonic_s() - stopped_at;
      }
    }
    const double now = monotonic_s();
    if (now >= deadline) return Wait::kTimedOut;
    if (now >= state.next_sample_s) {
      state.sample();
      state.sample_interval_s = std::min(state.sample_interval_s * 2, 0.25);
      state.next_sample_s = monotonic_s() + state.sample_interval_s;
    }
    const double until = std::min(deadline, state.next_sample_s);
    double wait_s = std::max(0.0, until - monotonic_s());
    if (state.pidfd < 0) wait_s = std::min(wait_s, 0.01);
    std::array<pollfd, 2> events = {
        pollfd{state.pidfd, POLLIN, 0},
        pollfd{stop != nullptr ? stop->descriptor() : -1, POLLIN, 0}};
    ::poll(events.data(), events.size(), static_cast<int>(std::ceil(wait_s * 1000)));
  }
}

bool ProcessTree::signal_if_caught(std::int64_t pid, int signal) {
  return proc_catches(pid, signal) && ::kill(static_cast<pid_t>(pid), signal) == 0;
}

bool ProcessTree::wake() {
  bool own = false;
  for (const ProcRow& row : proc_descendants(::getpid())) {
    if (!row.stopped()) continue;
    ::kill(static_cast<pid_t>(row.pid), SIGCONT);
    own = own || row.pid == state_->pid;
  }
  return own;
}

void ProcessTree::terminate(double grace_s, StopSignals* stop) {
  State& state = *state_;
  if (!state.ended() && grace_s > 0) {
    ::kill(-state.pid, SIGTERM);
    wait(grace_s, stop);
  }
  if (!state.ended()) {
    // The command's own process ends first, so that its status is its own, not one of the sweep's.
    ::kill(state.pid, SIGKILL);
    wait(kForced);
  }
  kill_descendants(kForced, &state.usage);
}

std::vector<Leftover> ProcessTree::take_leftovers(double grace_s) {
  State& state = *state_;
  const double deadline = monotonic_s() + grace_s;
  double interval = 0.002;
  for (;;) {
    state.reap_all();
    if (!have_children()) return {};
    if (monotonic_s() >= deadline) break;
    pause_for(interval);
    interval = std::min(interval * 2, 0.05);
  }
  std::vector<Leftover> left = living_descendants();
  kill_descendants(kForced, &state.usage);
  return left;
}

}  // namespace bulkhead
