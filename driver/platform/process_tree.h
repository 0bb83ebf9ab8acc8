// One command and every process that comes of it, watched to the end.
//
// The calling process must be single-threaded and a child subreaper (become_subreaper): a process
// whose parent died is then reparented to it, not to init, so that a daemon that forked twice and
// called setsid is still found. While a ProcessTree lives, all children of the caller belong to
// it: it reaps whatever ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/entry_result.h"
#include "platform/process.h"
#include "platform/stop_signals.h"

namespace bulkhead {

// PR_SET_CHILD_SUBREAPER; an error where the system refuses.
Status become_subreaper();

struct TreeCommand {
  Command command;
  std::string log;                   // stdout and stderr are appended to this file
  std::int64_t log_keep = 0;         // of its start and end, see punch_middle(); 0: all
  std::int64_t descriptor_limit = 0;  // soft RLIMIT_NOFILE; 0: ours
};

struct TreeUsage {
  double user_s = 0;  // CPU of every process that was reaped
  double system_s = 0;
  std::int64_t peak_rss_kib = 0;
  std::int64_t peak_descriptors = 0;  // most open descriptors seen in one process
  std::int64_t peak_descriptors_pid = 0;
};

class ProcessTree {
 public:
  // Starts the command: stdin at /dev/null, a session of its own, no descriptor of ours but the
  // log, signals at their defaults, SIGKILL when we die (PR_SET_PDEATHSIG). An error where it
  // cannot be executed: `cannot run '/x/python': No such file or directory`.
  static Result<ProcessTree> start(const TreeCommand& command);

  ProcessTree(ProcessTree&&) noexcept;
  ProcessTree& operator=(ProcessTree&&) = delete;
  // Kills what is left.
  ~ProcessTree();

  std::int64_t pid() const;

  enum class Wait { kEnded, kTimedOut, kStopRequested };
  // Until the command's own process ends (its descendants may live on), `timeout_s` seconds have
  // passed (none: for ever), or a stop signal came. Time spent stopped by SIGTSTP is not counted.
  Wait wait(std::optional<double> timeout_s, StopSignals* stop = nullptr);

  // How the command's process ended; kNotStarted while it runs.
  ProcessEnd end() const;

  // Sends `signal` to a process of the tree if it has a handler for it: the default action of a
  // signal meant to make a process speak would kill it. Whether it was sent.
  bool signal_if_caught(std::int64_t pid, int signal);

  // Continues what SIGSTOP or the like has stopped in the tree: a stopped process takes no other
  // signal. Whether the command's own process was stopped.
  bool wake();

  // SIGTERM to the command's process group, at most `grace_s` for it to end (cut short by a stop
  // signal), then SIGKILL to every descendant.
  void terminate(double grace_s, StopSignals* stop = nullptr);

  // After the command's process ended: waits at most `grace_s` for its descendants to end, then
  // names those that did not, and kills them.
  std::vector<Leftover> take_leftovers(double grace_s);

  const TreeUsage& usage() const;

 private:
  struct State;
  explicit ProcessTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The signal at which an entry's plugin writes the Python stacks: SIGRTMIN + 7, which neither the C
// library nor Python uses.
int stacks_signal();

// Kills every descendant of this process and reaps them, for at most `limit_s`: all are stopped
// first, round after round until no new one appears, so that none can fork its way out. Whether
// none is left. Their resource use is added to `usage`. The processes `spared`, and their
// descendants, are left alone.
bool kill_descendants(double limit_s, TreeUsage* usage = nullptr,
                      const std::vector<std::int64_t>& spared = {});

// The living descendants of this process.
std::vector<Leftover> living_descendants();

}  // namespace bulkhead
