// What a suite is configured to be, and what discovery made of it.
//
// The same words name a thing everywhere: the TOML key `on-leak`, the CMake argument ON_LEAK and,
// where an entry has it, the directive word `on-leak`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bulkhead {

enum class EmptyPolicy { kSkip, kPass, kFail };      // on-empty: what a file with no tests is
enum class LeakPolicy { kWarn, kFail };              // on-leak: what leftover processes mean
enum class BytecodePolicy { kRead, kWrite, kNone };  // bytecode: see docs/manual.md

// What may differ from file to file. Unset: the next outer level decides
// (directive in the file > rules, the last match first > suite > default).
struct EntrySettings {
  std::vector<std::string> labels;     // LABELS; levels add up
  std::vector<std::string> locks;      // RESOURCE_LOCK; levels add up
  std::vector<std::string> resources;  // RESOURCE_GROUPS, each `name:slots`; levels add up
  std::optional<double> timeout_s;     // of one attempt; 0: none
  std::optional<int> processors;       // PROCESSORS, at least 1
  std::optional<bool> serial;          // RUN_SERIAL
  std::optional<int> retries;          // further attempts after a failed first
  std::optional<EmptyPolicy> on_empty;
  std::optional<LeakPolicy> on_leak;
};

// A `[[tool.bulkhead.rule]]`: settings for the files that match a pattern.
struct Rule {
  std::vector<std::string> patterns;  // globs over the entry's file, `**` crosses folders
  EntrySettings settings;
  std::string where;  // `path:line` of the rule, for messages
};

// The configuration, merged from the command line or CMake over [tool.bulkhead] over defaults.
struct SuiteConfig {
  std::string name = "tests";             // names the suite in reports and fixtures
  std::string root;                       // absolute; entries are named relative to it
  std::string prefix;                     // in front of every entry's CTest name
  std::string python;                     // empty: chosen, see discover/interpreter.h
  std::string python_chosen_by;           // who set `python`: `option`, `configuration`
  std::vector<std::string> python_args;   // e.g. -X dev
  std::vector<std::string> paths;         // relative to root; empty: pytest's testpaths or root
  std::string ini;                        // empty: the one pytest finds
  std::vector<std::string> pytest_args;   // further pytest options, e.g. -m, 'not slow'
  std::map<std::string, std::string> env;  // set in every entry
  std::vector<std::string> pass_env;      // globs of variables to let through
  EntrySettings defaults;
  std::vector<Rule> rules;
  BytecodePolicy bytecode = BytecodePolicy::kRead;
  std::int64_t descriptors = 0;   // soft RLIMIT_NOFILE; 0: as high as the hard limit, to 65,536
  int ports = 20;                 // size of the free port range in the environment; 0: none
  double term_grace_s = 5;        // between SIGTERM and SIGKILL
  double leak_grace_s = 0.5;      // for processes that are just ending
  std::int64_t output_limit = 256 * 1024;  // bytes of captured output of a test kept in reports
  int keep_runs = 10;             // older runs are pruned
  std::vector<std::string> launcher;  // in front of the driver's own command in CTest entries
  // The command that reruns one entry: an argument `{file}` is its file, `{regex}` its name.
  std::vector<std::string> rerun = {"ctest", "-R", "{regex}"};
};

// One test file, as CTest sees it.
struct Entry {
  std::string name;      // CTest name: prefix + file, escaped (ctest/names.h); unique in the suite
  std::string file;      // relative to the suite's root, `/`-separated, raw bytes
  EntrySettings settings;  // resolved: only `timeout_s` 0 or unset labels stay empty
  // How pytest is told to run it: named on the command line, or by naming its folder and letting
  // the plugin ignore everything else (a path with `[` or `::`, which pytest would split; a file
  // that is collected only as a doctest, which naming would turn into a test module too).
  enum class Selection { kNamed, kNarrowed } selection = Selection::kNamed;
  double cost_s = 0;     // recorded duration of the file, 0 where unknown
};

// What the manifest says of the suite as a whole: the configuration, and what pytest answered.
struct Suite {
  SuiteConfig config;
  std::string python;          // the interpreter, absolute
  std::string python_reason;   // e.g. `python3 on PATH`
  std::string python_version;  // 3.11.2
  std::string pytest_version;  // 7.2.1
  std::string rootdir;         // pytest's rootdir, absolute; the working directory of entries
  std::string inipath;         // absolute; empty: none
  std::string confcutdir;      // absolute
  std::vector<std::string> plugins;  // names of pytest plugins active: xdist, cacheprovider, …
  std::string skip_token;      // printed by a skipped entry, matched by SKIP_REGULAR_EXPRESSION
  // Where pytest could not list the suite (a conftest that cannot be imported, unknown options in
  // addopts), its message; the file set is then the one found without conftests or addopts.
  std::string listing_error;
};

struct Manifest {
  Suite suite;
  std::vector<Entry> entries;  // sorted by file, bytewise
};

}  // namespace bulkhead
