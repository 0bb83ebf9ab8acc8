// The commands of `bulkhead`. Each takes its options as data and answers the exit code
// (model/exit_codes.h), or the error that stopped it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace bulkhead {

// Prints the error to standard error as `bulkhead: message`; answers the exit code of its kind.
int tell_error(const Error& error);

struct DiscoverOptions {
  std::string state;     // the suite's state folder
  bool refresh = false;  // ask pytest again, however fresh the cache is
};
// Brings manifest.jsonl and entries.cmake of the state folder up to date. Silent on success.
Result<int> discover_command(const DiscoverOptions& options);

struct ExecOptions {
  std::string state;
  std::string entry;          // its CTest name
  bool show_env = false;      // print the environment it would get, and run nothing
};
// Runs one entry to its end. Never returns while a process of it lives.
Result<int> exec_command(const ExecOptions& options);

struct ReportOptions {
  std::string state;
  std::string run;  // an id; empty: the run this process belongs to, else the newest
  // Who asks: a person; the last entry of a CTest run (a fixture's cleanup); or CTest after the
  // run (CTEST_CUSTOM_POST_TEST), which before CTest 4.4 also asks while it only lists.
  enum class Caller { kPerson, kFinaliser, kPostTest } caller = Caller::kPerson;
};
Result<int> report_command(const ReportOptions& options);

struct TestOptions {
  std::string program;   // argv[0], to show how one file is run again
  std::vector<std::string> paths;
  std::string root;      // empty: found, see config/root.h
  std::string python;    // empty: chosen
  int jobs = 0;          // 0: as many as processors may be used
  std::string expression;            // -k
  std::string marks;                 // -m
  std::vector<std::string> pytest_args;
  std::vector<std::string> pass_env;
};
// The whole of it without a CMake project: discover, schedule with CTest, report.
Result<int> test_command(const TestOptions& options);

struct PythonOptions {
  std::string root;      // empty: found from the working directory
  std::string python;
};
// Prints which interpreter a suite would run with, and why.
Result<int> python_command(const PythonOptions& options);

}  // namespace bulkhead
