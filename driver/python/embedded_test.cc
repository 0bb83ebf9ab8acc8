#include "python/embedded.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(Embedded, HoldsThePluginAndTheLister) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_python_files()) {
    names.emplace_back(file.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"bulkhead_events.py", "bulkhead_failures.py",
                                             "bulkhead_list.py", "bulkhead_plugin.py",
                                             "bulkhead_watch.py"}));
}

TEST(Embedded, FilesAreEmbeddedByteForByte) {
  for (const EmbeddedFile& file : embedded_python_files()) {
    std::ifstream stream(std::string(BULKHEAD_PYTHON_FOLDER "/") + std::string(file.name),
                         std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(text.str(), file.text) << file.name;
  }
}

// An interpreter that is told to expect ASCII must be able to read them.
TEST(Embedded, FilesAreAscii) {
  for (const EmbeddedFile& file : embedded_python_files()) {
    EXPECT_TRUE(std::all_of(file.text.begin(), file.text.end(),
                            [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        << file.name;
  }
}

}  // namespace
}  // namespace bulkhead
