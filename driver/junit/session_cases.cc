#include "junit/session_cases.h"

#include <deque>
#include <map>
#include <set>
#include <type_traits>

#include <fmt/format.h>

#include "junit/address.h"
#include "junit/reader.h"

namespace bulkhead {

namespace {

using Kind = CaseProblem::Kind;

enum class Progress { kNotRun, kRunning, kDone };

struct EventCase {
  SessionCase session_case;
  Progress progress = Progress::kNotRun;
};

// What the events say, test by test, in the order of the run.
struct Told {
  std::vector<EventCase> cases;
  std::string session_details;  // why the session ended early, in pytest's words
};

class EventFolder {
 public:
  explicit EventFolder(const std::string& file) : file_(file) {}

  void operator()(const Collected& event) {
    for (const std::string& id : event.tests) add(id);
  }
  void operator()(const TestStarted& event) {
    EventCase& running = take(event.id, Progress::kNotRun, Progress::kNotRun);
    running.progress = Progress::kRunning;
    running.session_case.test.line = event.line;
  }
  void operator()(const TestFinished& event) {
    EventCase& done = take(event.id, Progress::kRunning, Progress::kNotRun);
    done.progress = Progress::kDone;
    TestCase& test = done.session_case.test;
    test.time_s = event.duration_s;
    switch (event.outcome) {
      case TestOutcome::kPassed:
      case TestOutcome::kXpassed: break;
      case TestOutcome::kFailed: problem(test, Kind::kFailure, event, ""); break;
      case TestOutcome::kError: problem(test, Kind::kError, event, ""); break;
      case TestOutcome::kSkipped: problem(test, Kind::kSkipped, event, "pytest.skip"); break;
      case TestOutcome::kXfailed: problem(test, Kind::kSkipped, event, "pytest.xfail"); break;
    }
    if (is_failing(test)) test.system_out = event.output;
  }
  void operator()(const CollectionFailed& event) {
    EventCase& failed = add(event.id);
    failed.progress = Progress::kDone;
    failed.session_case.test.line = event.line;
    failed.session_case.test.problems.push_back(
        {Kind::kError, "collection failure: " + event.message, "", event.details});
  }
  void operator()(const CollectionSkipped& event) {
    EventCase& skipped = add(event.id);
    skipped.progress = Progress::kDone;
    skipped.session_case.test.problems.push_back(
        {Kind::kSkipped, event.reason, "pytest.skip", ""});
  }
  void operator()(const SessionInterrupted& event) { told_.session_details += event.details; }
  void operator()(const InternalError& event) { told_.session_details += event.details; }
  void operator()(const SessionStarted&) {}
  void operator()(const DescriptorsExhausted&) {}
  void operator()(const SessionFinished&) {}

  // The test that the driver saw in flight, where its start was not on record.
  void in_flight(const std::string& id) {
    if (!id.empty() && find(id, Progress::kRunning) == nullptr)
      take(id, Progress::kNotRun, Progress::kNotRun).progress = Progress::kRunning;
  }

  Told take_all() { return std::move(told_); }

 private:
  static void problem(TestCase& test, Kind kind, const TestFinished& event, const char* type) {
    test.problems.push_back({kind, event.message, type, event.details});
  }

  EventCase& add(const std::string& id) {
    by_id_[id].push_back(told_.cases.size());
    EventCase added;
    const CaseAddress address = case_address(id, file_);
    added.session_case.id = id;
    added.session_case.test.name = address.name;
    added.session_case.test.classname = address.classname;
    told_.cases.push_back(std::move(added));
    return told_.cases.back();
  }

  EventCase* find(const std::string& id, Progress progress) {
    const auto known = by_id_.find(id);
    if (known == by_id_.end()) return nullptr;
    for (const std::size_t index : known->second) {
      if (told_.cases[index].progress == progress) return &told_.cases[index];
    }
    return nullptr;
  }

  // The first case of the id at `first`, or else at `second`, or else a new one.
  EventCase& take(const std::string& id, Progress first, Progress second) {
    if (EventCase* known = find(id, first)) return *known;
    if (EventCase* known = find(id, second)) return *known;
    return add(id);
  }

  const std::string& file_;
  Told told_;
  std::map<std::string, std::vector<std::size_t>> by_id_;
};

int severity(const TestCase& test) {
  const CaseProblem* problem = strictest_problem(test);
  return problem == nullptr ? 0 : 1 + static_cast<int>(problem->kind);
}

// pytest's internal error has a case of its own, which no test is.
bool is_internal_error(const TestCase& test) {
  return test.classname == "pytest" && test.name == "internal" && is_failing(test);
}

// pytest opens a second case where a test fails and then its teardown does.
bool is_teardown_of(const TestCase& second, const TestCase& first) {
  return is_failing(first) && second.problems.size() == 1 &&
         second.problems[0].kind == Kind::kError &&
         second.problems[0].message.rfind("failed on teardown with", 0) == 0;
}

// pytest's case with what only the events know; the stricter verdict holds.
TestCase join_cases(TestCase from_xml, const TestCase& from_events) {
  from_xml.name = from_events.name;
  from_xml.classname = from_events.classname;
  from_xml.line = from_events.line;
  if (severity(from_events) > severity(from_xml)) {
    if (is_failing(from_events)) {
      std::erase_if(from_xml.problems,
                    [](const CaseProblem& problem) { return problem.kind == Kind::kSkipped; });
    }
    from_xml.problems.insert(from_xml.problems.end(), from_events.problems.begin(),
                             from_events.problems.end());
  }
  if (from_xml.system_out.empty()) from_xml.system_out = from_events.system_out;
  return from_xml;
}

// pytest's cases, taken one by one by the tests they belong to.
class XmlCases {
 public:
  XmlCases(std::vector<TestCase> cases, const std::vector<EventCase>& told,
           const std::string& file)
      : cases_(std::move(cases)) {
    remove_prefix(told, file);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      left_.insert(i);
      if (!cases_[i].name.empty() && !is_internal_error(cases_[i]))
        by_address_[{cases_[i].classname, cases_[i].name}].push_back(i);
    }
  }

  // The next case of the test, taken out.
  std::optional<TestCase> take(const std::string& id, const std::string& file) {
    for (const CaseAddress& address : case_addresses(id, file)) {
      const auto found = by_address_.find(address);
      if (found == by_address_.end() || found->second.empty()) continue;
      std::deque<std::size_t>& indexes = found->second;
      const std::size_t index = pop(indexes);
      TestCase taken = std::move(cases_[index]);
      if (!indexes.empty() && indexes.front() == index + 1 &&
          is_teardown_of(cases_[index + 1], taken)) {
        const TestCase& teardown = cases_[pop(indexes)];
        taken.problems.insert(taken.problems.end(), teardown.problems.begin(),
                              teardown.problems.end());
        taken.time_s += teardown.time_s;
      }
      return taken;
    }
    return std::nullopt;
  }

  // Indexes of the named cases that nothing took, in order.
  std::vector<std::size_t> unclaimed() const {
    std::vector<std::size_t> indexes;
    for (const std::size_t index : left_) {
      if (!cases_[index].name.empty() && !is_internal_error(cases_[index])) indexes.push_back(index);
    }
    return indexes;
  }

  TestCase take_index(std::size_t index) {
    left_.erase(index);
    return std::move(cases_[index]);
  }

  bool take_nameless() {
    for (const std::size_t index : left_) {
      if (!cases_[index].name.empty()) continue;
      left_.erase(index);
      return true;
    }
    return false;
  }

  std::vector<TestCase> take_rest() {
    std::vector<TestCase> rest;
    for (const std::size_t index : left_) rest.push_back(std::move(cases_[index]));
    left_.clear();
    return rest;
  }

 private:
  std::size_t pop(std::deque<std::size_t>& indexes) {
    const std::size_t index = indexes.front();
    indexes.pop_front();
    left_.erase(index);
    return index;
  }

  // `--junitprefix` puts a word and a dot before every class name.
  void remove_prefix(const std::vector<EventCase>& told, const std::string& file) {
    if (told.empty()) return;
    const CaseAddress first = case_address(told.front().session_case.id, file);
    const std::string ending = "." + first.classname;
    std::string prefix;
    for (const TestCase& test : cases_) {
      if (test.name != first.name) continue;
      if (test.classname == first.classname || test.classname.size() <= ending.size()) return;
      const std::size_t length = test.classname.size() - ending.size();
      if (test.classname.compare(length, ending.size(), ending) != 0) return;
      prefix = test.classname.substr(0, length + 1);
      break;
    }
    if (prefix.empty()) return;
    for (TestCase& test : cases_) {
      if (test.classname.rfind(prefix, 0) == 0) test.classname.erase(0, prefix.size());
    }
  }

  std::vector<TestCase> cases_;
  std::set<std::size_t> left_;
  std::map<CaseAddress, std::deque<std::size_t>> by_address_;
};

void settle_unfinished(EventCase& told, const AttemptRecord& record,
                       const std::string& session_details) {
  TestCase& test = told.session_case.test;
  if (told.progress == Progress::kRunning) {
    std::string text = record.stacks.empty() ? session_details : record.stacks;
    if (text.empty()) text = record.output_tail;
    const std::string& cause = record.attempt.cause;
    test.problems.push_back({Kind::kError, cause.empty() ? "started, never finished" : cause,
                             std::string(to_string(record.attempt.outcome)), std::move(text)});
  } else if (told.progress == Progress::kNotRun) {
    const std::string& cause = record.attempt.cause;
    test.problems.push_back({Kind::kSkipped, cause.empty() ? "not run" : "not run: " + cause,
                             kNotRunType, ""});
  }
}

// Whether the cases show why the attempt failed.
bool explains(const std::vector<EventCase>& told, const std::vector<SessionCase>& cases,
              Outcome outcome) {
  bool failing = false;
  bool error = false;
  bool internal = false;
  bool in_flight = false;
  for (const EventCase& each : told) in_flight = in_flight || each.progress == Progress::kRunning;
  for (const SessionCase& each : cases) {
    failing = failing || is_failing(each.test);
    error = error || severity(each.test) == 1 + static_cast<int>(Kind::kError);
    internal = internal || is_internal_error(each.test);
  }
  switch (outcome) {
    case Outcome::kPassed:
    case Outcome::kLeaky:
    case Outcome::kFlaky:
    case Outcome::kSkipped:
    case Outcome::kEmpty: return true;
    case Outcome::kFailed: return failing;
    case Outcome::kCollectionError: return error;
    case Outcome::kInterrupted:
    case Outcome::kCrashed:
    case Outcome::kTimedOut: return in_flight;
    case Outcome::kInternalError: return internal;
    case Outcome::kUsageError:
    case Outcome::kInfrastructure: return false;
  }
  return false;
}

// Problems the driver recorded about tests that no source shows as failing.
void add_recorded_problems(const Attempt& attempt, const std::string& file,
                           std::vector<SessionCase>& cases) {
  std::map<std::string, SessionCase*> by_id;
  for (SessionCase& each : cases) {
    SessionCase*& known = by_id[each.id];
    if (known == nullptr || is_failing(each.test)) known = &each;
  }
  std::vector<SessionCase> added;
  for (const TestProblem& problem : attempt.problems) {
    if (problem.id.empty() || problem.id == file || problem.id == attempt.in_flight) continue;
    const auto known = by_id.find(problem.id);
    const CaseProblem shown{Kind::kError, problem.message, "", ""};
    if (known == by_id.end()) {
      const CaseAddress address = case_address(problem.id, file);
      added.push_back({problem.id, {}});
      added.back().test.name = address.name;
      added.back().test.classname = address.classname;
      added.back().test.problems.push_back(shown);
    } else if (!is_failing(known->second->test)) {
      known->second->test.problems = {shown};
    }
  }
  for (SessionCase& each : added) cases.push_back(std::move(each));
}

}  // namespace

SessionCase case_of_file(const std::string& file, CaseProblem problem) {
  SessionCase whole;
  whole.id = file;
  whole.test.name = file;
  whole.test.classname = case_address(file, file).name;
  whole.test.problems.push_back(std::move(problem));
  return whole;
}

SessionCases session_cases(const AttemptRecord& record, const std::string& file) {
  SessionCases session;
  EventFolder folder(file);
  for (const Event& event : record.events) std::visit(folder, event);
  folder.in_flight(record.attempt.in_flight);
  Told told = folder.take_all();

  std::vector<TestCase> xml_cases;
  if (record.pytest_xml) {
    Result<std::vector<TestSuite>> suites = read_junit(*record.pytest_xml);
    if (!suites) {
      session.xml_error = suites.error().message;
    } else {
      for (TestSuite& suite : *suites) {
        if (session.hostname.empty()) session.hostname = suite.hostname;
        session.properties.insert(session.properties.end(), suite.properties.begin(),
                                  suite.properties.end());
        for (TestCase& test : suite.cases) xml_cases.push_back(std::move(test));
      }
    }
  }
  XmlCases xml(std::move(xml_cases), told.cases, file);

  std::vector<EventCase*> unmatched;
  for (EventCase& each : told.cases) {
    if (each.progress == Progress::kRunning) xml.take_nameless();
    if (std::optional<TestCase> test = xml.take(each.session_case.id, file)) {
      each.session_case.test = join_cases(std::move(*test), each.session_case.test);
      // pytest reported it, though its end never reached the events.
      if (each.progress == Progress::kNotRun) each.progress = Progress::kDone;
    } else if (each.progress == Progress::kDone) {
      unmatched.push_back(&each);
    }
  }
  // record_xml_attribute may have renamed cases: what is left on both sides goes together in order.
  if (const std::vector<std::size_t> left = xml.unclaimed(); left.size() == unmatched.size()) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      TestCase& test = unmatched[i]->session_case.test;
      test = join_cases(xml.take_index(left[i]), test);
    }
  }
  for (EventCase& each : told.cases) {
    settle_unfinished(each, record, told.session_details);
    session.cases.push_back(each.session_case);
  }
  for (TestCase& test : xml.take_rest()) {
    if (test.name.empty()) {
      SessionCase unfinished = case_of_file(
          file, {Kind::kError, "a test was started and never finished", "", ""});
      unfinished.test.time_s = test.time_s;
      session.cases.push_back(std::move(unfinished));
    } else {
      session.cases.push_back({"", std::move(test)});
    }
  }
  add_recorded_problems(record.attempt, file, session.cases);

  if (!explains(told.cases, session.cases, record.attempt.outcome)) {
    std::string text = told.session_details;
    for (const std::string& part : {record.stacks, record.output_tail}) {
      if (!text.empty() && !part.empty() && text.back() != '\n') text += '\n';
      text += part;
    }
    const std::string_view word = to_string(record.attempt.outcome);
    const std::string& cause = record.attempt.cause;
    session.cases.push_back(case_of_file(
        file, {Kind::kError, cause.empty() ? std::string(word) : cause, std::string(word), text}));
  }
  for (SessionCase& each : session.cases) each.test.file = file;
  return session;
}

}  // namespace bulkhead
