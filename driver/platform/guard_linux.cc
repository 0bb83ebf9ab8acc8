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

#include "model/exit_codes.h"
#include "platform/process.h"
#include "platform/process_tree.h"

namespace bulkhead {

namespace {

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
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
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
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != caller) ::raise(SIGTERM);
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
    ::sigprocmask(SIG_UNBLOCK, &child_only, nullptr);
    run_inner(inner, outer);
  }

  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) break;
    const int signal = ::sigwaitinfo(&set, nullptr);
    if (signal < 0 || signal == SIGCHLD) continue;
    ::kill(pid, signal);
    if (signal == SIGTSTP) {
      // It stops its tree and itself first: continued before that, it would stay stopped.
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WEXITED | WNOWAIT) == 0 &&
          info.si_code == CLD_STOPPED) {
        ::raise(SIGSTOP);
        ::kill(pid, SIGCONT);
      }
    }
  }
  // Usually there is nothing to kill and this costs one system call.
  const bool clean = kill_descendants(5);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  complain("the driver's inner process was " +
           describe({.kind = ProcessEnd::Kind::kSignaled, .signal = WTERMSIG(status)}) +
           (clean ? "; everything it had started has been killed"
                  : "; some of what it had started could not be killed"));
  return kExitInfrastructure;
}

}  // namespace bulkhead
