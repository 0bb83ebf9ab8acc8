// Where things lie in a suite's state folder. The only place that knows.
//
//   suite.json       the configuration as CMake or the command line gave it
//   manifest.jsonl   model/manifest.h
//   entries.cmake    what CTest includes
//   freshness.json   discovery's cache
//   python/          the pytest plugins, written out from the driver
//   durations.json   model/durations.h
//   junit.xml        the merged report of the newest run
//   runs/latest      a symbolic link to the newest run
//   runs/<run>/      run.json, junit.xml, summary.txt, and a folder an entry:
//     started.json   written first: the entry began
//     result.json    written last, in one step: model/entry_result.h
//     junit.xml      the file's tests, legal XML whatever happened
//     <n>/           attempt n: events.jsonl, pytest.xml, output.log, stacks.txt, coverage
#pragma once

#include <string>
#include <string_view>

namespace bulkhead {

class StateFolder {
 public:
  // `path` is absolute.
  explicit StateFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string suite_json() const { return path_ + "/suite.json"; }
  std::string manifest() const { return path_ + "/manifest.jsonl"; }
  std::string entries_cmake() const { return path_ + "/entries.cmake"; }
  std::string freshness() const { return path_ + "/freshness.json"; }
  std::string discover_lock() const { return path_ + "/discover.lock"; }
  std::string python() const { return path_ + "/python"; }
  std::string durations() const { return path_ + "/durations.json"; }
  std::string durations_lock() const { return path_ + "/durations.lock"; }
  std::string junit() const { return path_ + "/junit.xml"; }
  std::string runs() const { return path_ + "/runs"; }
  std::string latest_run() const { return path_ + "/runs/latest"; }
  std::string run(std::string_view run_id) const { return runs() + "/" + std::string(run_id); }

 private:
  std::string path_;
};

class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string run_json() const { return path_ + "/run.json"; }
  std::string junit() const { return path_ + "/junit.xml"; }
  std::string summary() const { return path_ + "/summary.txt"; }
  // `file` as in Entry::file.
  std::string entry(std::string_view file) const {
    return path_ + "/" + entry_folder_name(file);
  }

  // The file with every byte but letters, digits, `.`, `_` and `-` percent-encoded; one over 150
  // bytes keeps its tail and gets a hash of the whole in front. Distinct for distinct files.
  static std::string entry_folder_name(std::string_view file);

 private:
  std::string path_;
};

class EntryFolder {
 public:
  explicit EntryFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string started() const { return path_ + "/started.json"; }
  std::string result() const { return path_ + "/result.json"; }
  std::string junit() const { return path_ + "/junit.xml"; }
  std::string attempt(std::string_view folder) const { return path_ + "/" + std::string(folder); }

 private:
  std::string path_;
};

// Files of one attempt, in EntryFolder::attempt().
inline constexpr std::string_view kEventsFile = "events.jsonl";
inline constexpr std::string_view kPytestXmlFile = "pytest.xml";
inline constexpr std::string_view kOutputFile = "output.log";
inline constexpr std::string_view kStacksFile = "stacks.txt";
inline constexpr std::string_view kCoverageFile = "coverage";

}  // namespace bulkhead
