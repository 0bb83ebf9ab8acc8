// Signals that ask the driver to stop, taken one at a time where the driver is ready for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bulkhead {

class StopSignals {
 public:
  // Blocks INT, TERM, HUP, QUIT and TSTP, but for those that our caller ignores (a shell's
  // background job ignores INT, nohup ignores HUP), and collects them from then on. `parent` is
  // the process whose death is a request too.
  explicit StopSignals(std::int64_t parent);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Readable when a signal waits; for poll(2).
  int descriptor() const { return descriptor_; }

  // Takes one waiting signal: SIGTSTP is returned and not remembered, any other is remembered as
  // the request. Nothing where none waits.
  std::optional<int> take();

  // The first request so far.
  std::optional<int> requested() const { return requested_; }
  // Whether the request came of our parent's death.
  bool parent_died() const;
  // `stopped by SIGINT`, `the driver was killed`.
  std::string words() const;

 private:
  int descriptor_ = -1;
  std::int64_t parent_;
  std::optional<int> requested_;
};

}  // namespace bulkhead
