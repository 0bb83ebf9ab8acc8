#include "platform/guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "model/exit_codes.h"
#include "platform/process.h"
#include "platform/process_tree.h"

namespace bulkhead {

namespace {

// What the kernel sends us when the thread that started us ends (PR_SET_PDEATHSIG). Callers with
// several threads live on after that, so it is a signal that nobody else sends, and getppid() says
// whether the caller itself is gone.
int caller_died_signal() { return SIGRTMIN + 8; }

// The children that this process had before it was our program.
std::vector<std::int64_t> children_of_before() {
  std::vector<std::int64_t> pids;
  for (const Leftover& child : living_descendants()) pids.push_back(child.pid);
  return pids;
}

void complain(const std::string& message) {
  std::fprintf(stderr, "bulkhead: error: %s\n", message.c_str());
}

[[noreturn]] void run_inner(const std::function<int(StopSignals&)>& inner, pid_t outer) {
  ::setsid();
  int code = kExitInfrastructure;
  {
    StopSignals stop(outer);
    // After the block above, so that the request is never lost; if the outer process died before
    // this line, no signal comes and we ask for it ourselves.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != outer) ::raise(SIGTERM);
    if (const Status subreaper = become_subreaper(); subreaper) {
      code = inner(stop);
    } else {
      complain(subreaper.error().message);
    }
  }
  std::fflush(nullptr);
  ::_exit(code);
}

}  // namespace

int run_guarded(const std::function<int(StopSignals&)>& inner, OnCallerDeath on_caller_death) {
  const pid_t outer = ::getpid();
  const pid_t caller = ::getppid();
  if (const Status subreaper = become_subreaper(); !subreaper) {
    complain(subreaper.error().message);
    return kExitInfrastructure;
  }
  // Where we were started with a standard descriptor closed, the next file opened would get its
  // number, and what we print would end up in that file.
  while (true) {
    const int descriptor = ::open("/dev/null", O_RDWR);
    if (descriptor > STDERR_FILENO) ::close(descriptor);
    if (descriptor < 0 || descriptor > STDERR_FILENO) break;
  }
  // A write to a closed pipe is an error to handle, not a death.
  ::signal(SIGPIPE, SIG_IGN);
  // `server & exec bulkhead …` makes the server our child. It is not ours to kill.
  const std::vector<std::int64_t> foreign = children_of_before();
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, caller_died_signal());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD}) {
    struct sigaction now {};
    // What our caller ignores, we go on ignoring. An ignored SIGCHLD would reap for us.
    if (signal != SIGCHLD && ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
      continue;
    sigaddset(&set, signal);
  }
  ::signal(SIGCHLD, SIG_DFL);
  ::sigprocmask(SIG_BLOCK, &set, &before);
  if (on_caller_death == OnCallerDeath::kStop) {
    // Of a death before this line no signal comes; we ask for it ourselves.
    ::prctl(PR_SET_PDEATHSIG, caller_died_signal());
    if (::getppid() != caller) ::raise(caller_died_signal());
  }

  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) {
    complain(std::string("cannot fork: ") + std::strerror(errno));
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return kExitInfrastructure;
  }
  if (pid == 0) {
    sigset_t child_only;
    sigemptyset(&child_only);
    sigaddset(&child_only, SIGCHLD);
    sigaddset(&child_only, caller_died_signal());
    ::sigprocmask(SIG_UNBLOCK, &child_only, nullptr);
    run_inner(inner, outer);
  }

  int status = 0;
  bool asked_to_pause = false;
  for (;;) {
    const pid_t changed = ::waitpid(pid, &status, WNOHANG | WUNTRACED);
    if (changed < 0 && errno != EINTR) break;
    if (changed == pid) {
      if (!WIFSTOPPED(status)) break;
      // It has stopped its tree and itself. Where nobody asked for it a test has done it, and
      // nobody else would wake it.
      if (std::exchange(asked_to_pause, false)) ::raise(SIGSTOP);
      ::kill(pid, SIGCONT);
      continue;
    }
    const int signal = ::sigwaitinfo(&set, nullptr);
    if (signal < 0 || signal == SIGCHLD) continue;
    if (signal == SIGTSTP) asked_to_pause = true;
    if (signal != caller_died_signal()) {
      ::kill(pid, signal);
    } else if (::getppid() != caller) {
      ::kill(pid, SIGTERM);
    }
  }
  // Usually there is nothing to kill and this costs one system call.
  const bool clean = kill_descendants(5, nullptr, foreign);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  complain("the driver's inner process was " +
           describe({.kind = ProcessEnd::Kind::kSignaled, .signal = WTERMSIG(status)}) +
           (clean ? "; everything it had started has been killed"
                  : "; some of what it had started could not be killed"));
  return kExitInfrastructure;
}

}  // namespace bulkhead
