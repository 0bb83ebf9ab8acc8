// What an entry prints: for people, IDEs that look for `path:line: error:`, and CTest.
#pragma once

#include <string>
#include <string_view>

#include "model/entry_result.h"

namespace bulkhead {

struct PrintFacts {
  std::string path;        // of the test file, absolute
  std::string skip_token;
  std::string log_tail;    // of the last attempt's output
  std::string log_path;
  std::string stacks;      // Python stacks at a time limit
  std::string rerun;       // a command line that runs this entry again
};

// CTest keeps the head of what is printed where it has to cut, so the summary comes first. UTF-8
// without control characters. Nothing that the tests wrote can pass for one of CTest's tags or
// for the skip token.
std::string entry_report(const EntryResult& result, const PrintFacts& facts);

// The exit code of `bulkhead exec` for this result.
int exit_code_of(const EntryResult& result);

// Prints to stdout. What cannot be written is lost: a closed pipe changes no verdict.
void print_report(std::string_view text);

// `text` as it may be printed: ANSI sequences and carriage returns removed, other control
// characters and bytes that are no UTF-8 replaced by U+FFFD, tags that CTest reads and the token
// spoiled.
std::string printable(std::string_view text, std::string_view skip_token);

}  // namespace bulkhead
