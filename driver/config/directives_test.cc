#include "config/directives.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

std::string error_of(std::string_view head, std::string_view path = "t/test_a.py") {
  const auto parsed = parse_directives(head, path);
  return parsed ? "no error" : parsed.error().message;
}

EntrySettings read(std::string_view head, std::string_view path = "test_a.py") {
  const auto parsed = parse_directives(head, path);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed ? *parsed : EntrySettings();
}

TEST(Directives, ReadsEveryKey) {
  const EntrySettings s = read(
      "# bulkhead: lock=postgres,redis timeout=600.5 labels=slow,db processors=2 serial "
      "resource=gpus:1,mem:4 retries=1 on-empty=pass on-leak=fail\n");
  EXPECT_EQ(s.locks, (std::vector<std::string>{"postgres", "redis"}));
  EXPECT_EQ(s.timeout_s, 600.5);
  EXPECT_EQ(s.labels, (std::vector<std::string>{"slow", "db"}));
  EXPECT_EQ(s.processors, 2);
  EXPECT_EQ(s.serial, true);
  EXPECT_EQ(s.resources, (std::vector<std::string>{"gpus:1", "mem:4"}));
  EXPECT_EQ(s.retries, 1);
  EXPECT_EQ(s.on_empty, EmptyPolicy::kPass);
  EXPECT_EQ(s.on_leak, LeakPolicy::kFail);
}

TEST(Directives, StandBeforeTheFirstStatementOnly) {
  EXPECT_EQ(read("import os\n# bulkhead: retries=1\n").retries, std::nullopt);
  EXPECT_EQ(read("x = '# bulkhead: retries=1'\n").retries, std::nullopt);
  EXPECT_EQ(read("#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\n\n\"\"\"One.\n\n"
                 "# bulkhead: retries=9\n\\\"\"\"still\"\"\"  # end\n\n# bulkhead: retries=1\n"
                 "import os\n")
                .retries,
            1);
  EXPECT_EQ(read("r'doc'\n'a second string'\n# bulkhead: retries=1\n").retries, std::nullopt);
  EXPECT_EQ(read("'doc'  # bulkhead: retries=2\n").retries, 2);
}

TEST(Directives, SeveralLinesAddUpButAScalarComesOnce) {
  EXPECT_EQ(read("# bulkhead: labels=a\n# bulkhead: labels=b\n").labels,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(error_of("# bulkhead: timeout=1\n# bulkhead: timeout=2\n"),
            "t/test_a.py:2: 'timeout' is given twice");
}

TEST(Directives, ByteOrderMarkAndCrlfAreNothingSpecial) {
  EXPECT_EQ(read("\xEF\xBB\xBF# bulkhead: serial\r\n# bulkhead: retries=3\r\n").retries, 3);
}

TEST(Directives, TextFilesHaveAHeadOfComments) {
  EXPECT_EQ(read("# bulkhead: retries=1\n\n.. a comment\n# bulkhead: serial\nText.\n", "a.rst")
                .serial,
            true);
  EXPECT_EQ(read("Text.\n# bulkhead: retries=1\n", "a.txt").retries, std::nullopt);
}

TEST(Directives, AMisspeltMarkerIsAnError) {
  for (const char* line : {"# bulkead: serial", "# Bulkhead: serial", "#bulkhead: serial",
                           "# bulkhead : serial", "## bulkhead: serial", "# bulkhead timeout=3",
                           "#  bulkhead: serial", "# bulkheads: serial"}) {
    EXPECT_NE(error_of(line).find("t/test_a.py:1: a directive begins with '# bulkhead:'"),
              std::string::npos)
        << line;
  }
  EXPECT_EQ(error_of("# bulkhead runs this file\n# bulk: x\n# a bulkhead: y\n# back: z\n"),
            "no error");
}

TEST(Directives, EveryFaultIsToldWithItsLine) {
  EXPECT_EQ(error_of("# bulkhead: label=a timeout=soon\n"
                     "# bulkhead: timeout = 5\n"
                     "# bulkhead: lock processors=0 resource=gpu ports=3 labels=a,,b\n"
                     "# bulkhead:\n"),
            "t/test_a.py:1: unknown key 'label' (did you mean 'labels'?)\n"
            "t/test_a.py:1: 'timeout' must be a number of seconds, not 'soon'\n"
            "t/test_a.py:2: 'timeout' needs a value: timeout=…\n"
            "t/test_a.py:2: '=': write key=value without blanks around the '='\n"
            "t/test_a.py:2: unknown key '5'\n"
            "t/test_a.py:3: 'lock' needs a value: lock=…\n"
            "t/test_a.py:3: 'processors' must be from 1 to 4096, not '0'\n"
            "t/test_a.py:3: resource 'gpu' has no number of slots: write 'gpu:1'\n"
            "t/test_a.py:3: 'ports' cannot be set in a file: it belongs to the suite\n"
            "t/test_a.py:3: 'labels' has an empty word\n"
            "t/test_a.py:4: the directive is empty: write key=value or 'serial' behind it");
}

TEST(Directives, BytesThatAreNotUtf8AreToldReadably) {
  EXPECT_EQ(error_of("# caf\xE9\n# bulkhead: lo\xFF" "ck=a\n"),
            "t/test_a.py:2: unknown key 'lo\xEF\xBF\xBD" "ck' (did you mean 'lock'?)");
  EXPECT_NE(error_of("# bulkhead: lock=\xFF\n"), "no error");
}

TEST(Directives, AHeadCutAnywhereIsNoFault) {
  const std::string head =
      "\xEF\xBB\xBF#!x\n\"\"\"doc\n\\\"\"\" \xC3\xA9\n\"\"\"; # c\n# bulkhead: timeout=600 labels=a\n"
      "import os\n";
  for (std::size_t size = 0; size <= head.size(); ++size)
    (void)parse_directives(head.substr(0, size), "a.py");
}

}  // namespace
}  // namespace bulkhead
