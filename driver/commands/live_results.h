// Prints each entry's result as it comes in, a line a file, while CTest runs.
#pragma once

#include <set>
#include <string>

#include "model/entry_result.h"

namespace bulkhead {

class LiveResults {
 public:
  // `run` is the run's folder, which need not exist yet; paths are shown relative to `root`.
  LiveResults(std::string run, std::string root, std::size_t expected)
      : run_(std::move(run)), root_(std::move(root)), expected_(expected) {}

  // Prints the results that are new since the last call.
  void poll();

 private:
  std::string run_;
  std::string root_;
  std::size_t expected_;
  std::set<std::string> seen_;
};

// `tests/test_a.py:12: error: test_x: assert 1 == 2`, a line a problem, below the line of the file.
std::string live_line(const EntryResult& result, std::size_t done, std::size_t expected,
                      const std::string& root);

}  // namespace bulkhead
