// The summary of a run for a person at a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/run_report.h"

namespace bulkhead {

struct SummaryStyle {
  enum class Colour { kNone, kAnsi } colour = Colour::kNone;
  enum class Characters { kAscii, kUtf8 } characters = Characters::kUtf8;
  std::size_t columns = 80;  // lines of lists are cut to it; failures, paths and commands never are
  std::size_t message_limit = 400;  // characters of a failure's message
  std::size_t problems_per_file = 10;
  std::size_t names_per_list = 3;  // of skipped, flaky, leaky and slow files
};

// What failed first, then the lists, then one closing paragraph with the verdict and the totals.
// A green run takes less than ten lines, however many files it had. Always legal in the style's
// characters: control characters of messages and names are spelled.
std::string summary_text(const RunReport& report, const SummaryStyle& style);

}  // namespace bulkhead
