// The CMake code that tells CTest of a suite's entries.
//
// Works in a CTestTestfile.cmake, in a file that one includes, and without any CMake project
// (CTest ≥ 3.25). Every string is a bracket argument, so nothing in a name expands.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/manifest.h"

namespace bulkhead {

struct IncludeFileOptions {
  std::string driver;  // the executable, absolute
  std::string state;   // the suite's state folder, absolute
  // Sizes in bytes by Entry::file, where known: until a first run has timed a file they order the
  // entries.
  std::map<std::string, std::int64_t> sizes;
};

// entries.cmake: an entry a file, and the finaliser, which is there for an empty suite too and
// makes its run red.
std::string include_file_text(const Manifest& manifest, const IncludeFileOptions& options);

// CTestTestfile.cmake of a suite without a CMake project. `discover` is the command that brings
// entries.cmake up to date, run at every `ctest`; its failure stops CTest with its message.
std::string ctest_testfile_text(const std::vector<std::string>& discover,
                                const std::string& entries_cmake);

// `text` as a CMake bracket argument (cmake-language(7)) that holds exactly its bytes.
std::string bracket_argument(std::string_view text);

// `text` so that it is one element of a CMake list.
std::string list_element(std::string_view text);

// `text` so that CMake's regular expressions match it literally.
std::string escape_cmake_regex(std::string_view text);

}  // namespace bulkhead
