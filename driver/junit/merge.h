// Merges the reports of many files into one document, in bounded memory: one input is open and in
// memory at a time.
//
// The bodies go to a temporary file beside the output; when their totals are known, the header and
// the bodies are put together and renamed into place, so that a reader sees the old report or the
// whole new one. An input that cannot be read or parsed is an `<error>` suite named after it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "junit/model.h"
#include "junit/writer.h"

namespace bulkhead {

struct MergeInput {
  std::string path;
  std::string name;  // of the suite that stands for an input that cannot be read; empty: the path
};

struct MergeOptions {
  std::string name = "bulkhead";     // of the root element
  double time_s = 0;                 // of the root element; 0: the sum of the suites
  std::vector<TestSuite> extra;      // suites that have no file, written after the inputs
  JunitWriteOptions write;
};

struct MergeReport {
  struct Unreadable {
    std::size_t input = 0;  // its place among the inputs
    std::string why;
  };
  JunitTotals totals;
  std::vector<Unreadable> unreadable;
};

// Errors: the output or its temporary files cannot be written.
Result<MergeReport> merge_junit(const std::vector<MergeInput>& inputs, const std::string& output,
                                const MergeOptions& options);
Result<JunitTotals> merge_junit(const std::vector<std::string>& inputs, const std::string& output,
                                const MergeOptions& options);

}  // namespace bulkhead
