#include "junit/model.h"

namespace bulkhead {

JunitTotals& JunitTotals::operator+=(const JunitTotals& other) {
  suites += other.suites;
  tests += other.tests;
  failures += other.failures;
  errors += other.errors;
  skipped += other.skipped;
  time_s += other.time_s;
  return *this;
}

JunitTotals totals_of(const TestSuite& suite) {
  JunitTotals totals;
  totals.suites = 1;
  totals.time_s = suite.time_s;
  for (const TestCase& test : suite.cases) {
    ++totals.tests;
    const CaseProblem* problem = strictest_problem(test);
    if (problem == nullptr) continue;
    switch (problem->kind) {
      case CaseProblem::Kind::kSkipped: ++totals.skipped; break;
      case CaseProblem::Kind::kFailure: ++totals.failures; break;
      case CaseProblem::Kind::kError: ++totals.errors; break;
    }
  }
  return totals;
}

const CaseProblem* strictest_problem(const TestCase& test) {
  const CaseProblem* strictest = nullptr;
  for (const CaseProblem& problem : test.problems) {
    if (strictest == nullptr || problem.kind > strictest->kind) strictest = &problem;
  }
  return strictest;
}

bool is_failing(const TestCase& test) {
  const CaseProblem* problem = strictest_problem(test);
  return problem != nullptr && problem->kind != CaseProblem::Kind::kSkipped;
}

}  // namespace bulkhead
