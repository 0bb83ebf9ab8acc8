#include "run/attempt.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "events/reader.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/limits.h"
#include "platform/ports.h"
#include "platform/process_tree.h"
#include "run/classify.h"
#include "run/command_line.h"
#include "run/environment.h"
#include "events/session.h"

namespace bulkhead {

namespace {

constexpr std::size_t kLogTail = 64 * 1024;
// Of each end of a file's output. A test that prints without end must not fill the disk.
constexpr std::int64_t kLogKeep = 32 << 20;

class AttemptRunner {
 public:
  AttemptRunner(const EntryRequest& request, const EntryFolder& entry, int number,
                StopSignals& stop)
      : suite_(request.suite),
        entry_(request.entry),
        request_(request),
        stop_(stop),
        folder_(entry.attempt(std::to_string(number))) {
    run_.attempt.folder = std::to_string(number);
    facts_.file = entry_.file;
    facts_.path = join_path(suite_.config.root, entry_.file);
    facts_.python = suite_.python;
    facts_.timeout_s = entry_.settings.timeout_s.value_or(0);
    facts_.on_empty = entry_.settings.on_empty.value_or(EmptyPolicy::kSkip);
    facts_.on_leak = entry_.settings.on_leak.value_or(LeakPolicy::kWarn);
    facts_.machine_descriptor_limit = machine_descriptor_limit();
  }

  AttemptRun run() {
    Attempt& attempt = run_.attempt;
    attempt.started_at = wall_clock_s();
    const double start = monotonic_s();
    if (const Status prepared = prepare_and_watch(); !prepared)
      facts_.start_error = prepared.error().message;
    attempt.duration_s = monotonic_s() - start;
    judge();
    return std::move(run_);
  }

 private:
  std::string in_folder(std::string_view name) const { return join_path(folder_, name); }

  Status prepare_and_watch() {
    // A folder may be left of an invocation that was killed.
    if (const Status removed = remove_tree(folder_); !removed) return removed;
    if (const Status made = make_directories(folder_); !made) return made;
    // Made here, so that one that is missing at the end was removed.
    if (const Status made = create_file(in_folder(kEventsFile)); !made) return made;
    has_record_ = true;
    if (!request_.temp_root) return propagate(request_.temp_root);
    const std::string temp = join_path(*request_.temp_root, run_.attempt.folder);
    if (const Status made = make_directories(temp); !made) return made;
    std::optional<PortRange> ports;
    if (suite_.config.ports > 0) {
      auto range = PortRange::acquire(suite_.config.ports);
      if (!range) return propagate(range);
      ports.emplace(std::move(*range));
    }
    // A `:` ends a folder in PYTHONPATH and cannot be quoted: a link stands for the folder then.
    std::string plugin_folder = request_.state.python();
    if (plugin_folder.find(':') != std::string::npos) {
      const std::string link = temp + "/bulkhead-python";
      if (const Status linked = replace_symlink(link, plugin_folder); !linked) return linked;
      plugin_folder = link;
    }
    const EnvironmentFacts environment = {
        .caller = whole_environment(),
        .plugin_folder = plugin_folder,
        .temp_root = temp,
        .events = in_folder(kEventsFile),
        .stacks = in_folder(kStacksFile),
        .stacks_signal = stacks_signal(),
        .coverage = in_folder(kCoverageFile),
        .run_id = request_.run_id,
        .only = entry_.selection == Entry::Selection::kNarrowed ? facts_.path : std::string(),
        .port_first = ports ? ports->first() : 0,
        .port_count = ports ? ports->count() : 0};
    facts_.descriptor_limit = descriptor_limit(suite_.config.descriptors);
    auto tree = ProcessTree::start(
        {.command = {.argv = pytest_command(suite_, entry_,
                                            {.junit_xml = in_folder(kPytestXmlFile),
                                             .base_temp = temp + "/pytest",
                                             .cache = temp + "/cache"}),
                     .working_directory = suite_.rootdir,
                     .environment = to_environment(entry_environment(suite_, entry_, environment))},
         .log = in_folder(kOutputFile),
         .log_keep = kLogKeep,
         .descriptor_limit = facts_.descriptor_limit});
    if (!tree) return propagate(tree);
    watch(*tree);
    if (const Status cut = cut_file_middle(in_folder(kOutputFile), kLogKeep); !cut)
      complain(cut.error().message);
    facts_.disk_full = disk_is_full(folder_.c_str()) || disk_is_full(temp.c_str());
    // A file that cannot be removed must not make a passing test fail, nor stay unsaid.
    if (const Status removed = remove_tree(temp); !removed) complain(removed.error().message);
    return {};
  }

  void complain(const std::string& message) {
    complaint_ += (complaint_.empty() ? "" : "; ") + message;
  }

  void watch(ProcessTree& tree) {
    facts_.pid = tree.pid();
    const std::optional<double> timeout =
        facts_.timeout_s > 0 ? std::optional(facts_.timeout_s) : std::nullopt;
    switch (tree.wait(timeout, &stop_)) {
      case ProcessTree::Wait::kEnded:
        facts_.leftovers = tree.take_leftovers(suite_.config.leak_grace_s);
        break;
      case ProcessTree::Wait::kTimedOut:
        facts_.timed_out = true;
        facts_.was_suspended = tree.wake();
        ask_for_stacks(tree);
        tree.terminate(suite_.config.term_grace_s, &stop_);
        break;
      case ProcessTree::Wait::kStopRequested:
        facts_.stopped = stop_.words();
        // Nobody waits for a driver that was killed.
        tree.terminate(stop_.parent_died() ? 0 : suite_.config.term_grace_s, &stop_);
        break;
    }
    facts_.end = tree.end();
    const TreeUsage& usage = tree.usage();
    facts_.peak_descriptors = usage.peak_descriptors;
    facts_.peak_descriptors_pid = usage.peak_descriptors_pid;
    run_.attempt.user_s = usage.user_s;
    run_.attempt.system_s = usage.system_s;
    run_.attempt.peak_rss_kib = usage.peak_rss_kib;
  }

  // The Python stacks of all threads, written by the plugin's faulthandler into stacks.txt. It
  // writes a line at a time, so what it wrote is whole when the file has stopped growing.
  void ask_for_stacks(ProcessTree& tree) {
    const std::int64_t pid = read_session().started.value_or(SessionStarted{.pid = tree.pid()}).pid;
    if (!tree.signal_if_caught(pid, stacks_signal())) return;
    const double deadline = monotonic_s() + 1;
    std::int64_t size = 0;
    while (monotonic_s() < deadline) {
      if (tree.wait(0.02) == ProcessTree::Wait::kEnded) return;
      const auto stamp = stamp_of(in_folder(kStacksFile));
      const std::int64_t now = stamp ? stamp->size : 0;
      if (now > 0 && now == size) return;
      size = now;
    }
  }

  Session read_session() {
    facts_.record_error.clear();
    const std::string path = in_folder(kEventsFile);
    auto parsed = read_events(path);
    if (!parsed) {
      facts_.record_error = parsed.error().message;
      return {};
    }
    if (!*parsed) {
      if (has_record_)
        facts_.record_error = fmt::format("'{}' was removed while the file ran", path);
      return {};
    }
    const std::vector<Event>& events = (*parsed)->events;
    Session session = session_of(events, facts_.pid);
    if ((*parsed)->damaged_lines > 0 || (!session.started && !events.empty()))
      facts_.record_error = fmt::format("'{}' was damaged while the file ran", path);
    return session;
  }

  void judge() {
    Attempt& attempt = run_.attempt;
    facts_.session = read_session();
    facts_.log_tail = read_tail(in_folder(kOutputFile), kLogTail).value_or("");
    for (const DescriptorsExhausted& event : facts_.session.exhaustions) {
      if (event.open <= facts_.peak_descriptors) continue;
      facts_.peak_descriptors = event.open;
      facts_.peak_descriptors_pid = event.pid;
    }
    Verdict verdict = classify(facts_);
    attempt.outcome = verdict.outcome;
    attempt.cause = std::move(verdict.cause);
    attempt.problems = std::move(verdict.problems);
    if (!complaint_.empty())
      attempt.cause += (attempt.cause.empty() ? "" : "; ") + complaint_;
    attempt.end = facts_.end;
    attempt.peak_descriptors = facts_.peak_descriptors;
    attempt.peak_descriptors_pid = facts_.peak_descriptors_pid;
    attempt.descriptor_limit = facts_.descriptor_limit;
    attempt.counts = facts_.session.counts();
    if (facts_.session.in_flight) attempt.in_flight = facts_.session.in_flight->id;
    attempt.leftovers = std::move(facts_.leftovers);
    if (facts_.session.started) {
      run_.python_version = facts_.session.started->python;
      run_.pytest_version = facts_.session.started->pytest;
    }
  }

  const Suite& suite_;
  const Entry& entry_;
  const EntryRequest& request_;
  StopSignals& stop_;
  std::string folder_;
  AttemptFacts facts_;
  AttemptRun run_;
  std::string complaint_;
  bool has_record_ = false;
};

}  // namespace

AttemptRun run_attempt(const EntryRequest& request, const EntryFolder& entry, int number,
                       StopSignals& stop) {
  return AttemptRunner(request, entry, number, stop).run();
}

}  // namespace bulkhead
