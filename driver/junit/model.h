// JUnit's test suites as data, in the words of Maven Surefire's schema
// (https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report-3.0.xsd), which
// is what CI services read. Strings are UTF-8 that may still hold characters XML forbids: the
// writer makes them legal.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bulkhead {

// Why a test did not simply pass.
struct CaseProblem {
  enum class Kind { kSkipped, kFailure, kError } kind = Kind::kFailure;  // the stricter, the larger
  std::string message;
  std::string type;
  std::string text;  // traceback, stacks
};

// A failed attempt of a test that ran again: `<flakyFailure>`/`<flakyError>` where the test passed
// in the end, `<rerunFailure>`/`<rerunError>` where it did not.
struct Rerun {
  CaseProblem problem;
  std::string system_out;
  std::string system_err;
};

using Properties = std::vector<std::pair<std::string, std::string>>;

struct TestCase {
  std::string name;
  std::string classname;
  std::string file;       // relative to the suite's root
  std::int64_t line = 0;  // 1-based, 0 where unknown
  double time_s = 0;
  Properties properties;
  std::vector<CaseProblem> problems;  // pytest may give several: failure, then error on teardown
  std::vector<Rerun> reruns;
  std::string system_out;
  std::string system_err;
};

struct TestSuite {
  std::string name;
  std::string file;
  std::string timestamp;
  std::string hostname;
  double time_s = 0;
  Properties properties;
  std::vector<TestCase> cases;
  std::string system_out;
  std::string system_err;
};

struct JunitTotals {
  std::int64_t suites = 0;
  std::int64_t tests = 0;  // testcase elements; each is counted below at most once
  std::int64_t failures = 0;
  std::int64_t errors = 0;
  std::int64_t skipped = 0;
  double time_s = 0;

  JunitTotals& operator+=(const JunitTotals& other);
};

// Recounted from the cases; a case counts by its strictest problem.
JunitTotals totals_of(const TestSuite& suite);

// The strictest problem; null for a case that passed.
const CaseProblem* strictest_problem(const TestCase& test);
// Whether a failure or an error is among its problems.
bool is_failing(const TestCase& test);

}  // namespace bulkhead
