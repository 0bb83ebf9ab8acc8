#include "platform/stop_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "platform/process.h"

namespace bulkhead {

StopSignals::StopSignals(std::int64_t parent) : parent_(parent) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    sigaddset(&set, signal);
  }
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

StopSignals::~StopSignals() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<int> StopSignals::take() {
  if (descriptor_ < 0) return std::nullopt;
  signalfd_siginfo info{};
  if (::read(descriptor_, &info, sizeof info) != static_cast<ssize_t>(sizeof info))
    return std::nullopt;
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal != SIGTSTP && !requested_) requested_ = signal;
  return signal;
}

bool StopSignals::parent_died() const { return ::getppid() != static_cast<pid_t>(parent_); }

std::string StopSignals::words() const {
  if (parent_died()) return "the driver was killed";
  return "stopped by " + signal_name(requested_.value_or(0));
}

}  // namespace bulkhead
