#include "commands/run_identity.h"

#include <charconv>

#include <fmt/format.h>

#include "base/strings.h"

namespace bulkhead {

namespace {

constexpr int kMaxAncestors = 32;

std::optional<ProcessInfo> ctest_ancestor() {
  std::int64_t pid = parent_pid();
  for (int depth = 0; depth < kMaxAncestors && pid > 1; ++depth) {
    std::optional<ProcessInfo> info = process_info(pid);
    if (!info) return std::nullopt;
    if (info->name == "ctest") return info;
    pid = info->parent;
  }
  return std::nullopt;
}

}  // namespace

std::string run_id_of(const ProcessInfo& process) {
  return fmt::format("{}-{}-{}", boot_id(), process.pid, process.start_ticks);
}

RunIdentity current_run() {
  RunIdentity run{.ctest = ctest_ancestor()};
  if (const auto given = environment_variable(kRunIdVariable); given && !given->empty()) {
    run.id = *given;
  } else if (run.ctest) {
    run.id = run_id_of(*run.ctest);
  } else if (const auto self = process_info(own_pid())) {
    run.id = run_id_of(*self);
  }
  return run;
}

bool is_run_alive(std::string_view run_id) {
  const std::vector<std::string_view> parts = split(run_id, '-');
  if (parts.size() != 3 || parts[0] != boot_id()) return false;
  std::int64_t pid = 0;
  const auto [end, error] =
      std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), pid);
  if (error != std::errc() || end != parts[1].data() + parts[1].size()) return false;
  const std::optional<ProcessInfo> info = process_info(pid);
  return info && run_id_of(*info) == run_id;
}

}  // namespace bulkhead
