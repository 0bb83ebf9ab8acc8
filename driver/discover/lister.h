// Asks pytest which files it would collect, without importing a test module: pytest runs with the
// plugin python/bulkhead_list.py, which writes its answer as JSON (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/suite.h"
#include "platform/process.h"

namespace bulkhead {

struct ListedFile {
  std::string path;  // absolute
  bool named_ok = true;  // naming it on the command line collects what the walk does
};

struct Listing {
  std::string python;  // sys.executable
  std::string python_version;
  std::string pytest_version;
  std::string rootdir;
  std::string inipath;  // empty: none
  std::string confcutdir;
  std::vector<std::string> plugins;
  std::vector<ListedFile> files;         // sorted by path
  std::vector<std::string> directories;  // whose contents decide
  std::vector<std::string> watch;        // files, existing or not, whose contents decide
  // What pytest said where it refused to list the suite as configured; the files are then those it
  // finds without the configuration's addopts, and if it must be without conftests.
  std::string error;
};

struct ListRequest {
  const SuiteConfig* config = nullptr;
  std::string python;         // the interpreter
  std::string python_folder;  // where bulkhead_list.py lies
  std::string scratch;        // an existing folder for the answer and pytest's cache
  Environment environment;    // without PYTEST_*; PYTHONPATH is put in front of
  double timeout_s = 120;
};

// An error where pytest could not be run at all, or refused whatever was tried.
Result<Listing> list_files(const ListRequest& request);

// `own` without what would change pytest's behaviour behind the suite's back (PYTEST_*), with
// bytecode writing off, so that listing leaves nothing in the tree.
Environment lister_environment(const Environment& own, const SuiteConfig& config);

// The answer of one run of pytest. Errors say what is wrong with the text.
struct ListerAnswer {
  Listing listing;
  bool complete = false;  // the walk came to its end
  std::vector<std::string> errors;
};
Result<ListerAnswer> parse_lister_answer(std::string_view json);

// The one line of pytest's output that says why it refused.
std::string refusal_of(std::string_view out, std::string_view err);

}  // namespace bulkhead
