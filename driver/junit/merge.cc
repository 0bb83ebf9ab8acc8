#include "junit/merge.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "junit/reader.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

std::string last_error() { return std::generic_category().message(errno); }

TestSuite unreadable(const std::string& name, const std::string& why) {
  TestSuite suite;
  suite.name = name;
  suite.file = name;
  TestCase test;
  test.name = name;
  test.problems.push_back({CaseProblem::Kind::kError, why, "infrastructure", ""});
  suite.cases.push_back(std::move(test));
  return suite;
}

Result<std::vector<TestSuite>> read_input(const std::string& path) {
  const Result<std::string> document = read_file(path);
  if (!document) return propagate(document);
  Result<std::vector<TestSuite>> suites = read_junit(*document);
  if (!suites) return propagate(suites, fmt::format("cannot read the report '{}'", path));
  return suites;
}

// Removes the folder of temporary files however merging ends.
struct Scratch {
  std::string path;
  explicit Scratch(std::string folder) : path(std::move(folder)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { static_cast<void>(remove_tree(path)); }
};

Status put_together(const std::string& header, const std::string& bodies,
                    const std::string& whole) {
  std::ofstream out(whole, std::ios::binary | std::ios::trunc);
  std::ifstream in(bodies, std::ios::binary);
  if (!in) return fail(fmt::format("cannot read '{}': {}", bodies, last_error()));
  out << header;
  std::array<char, 65536> buffer{};
  while (out && in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    out.write(buffer.data(), in.gcount());
  }
  out << junit_footer();
  out.close();
  if (!out || in.bad()) return fail(fmt::format("cannot write '{}': {}", whole, last_error()));
  return {};
}

}  // namespace

Result<MergeReport> merge_junit(const std::vector<MergeInput>& inputs, const std::string& output,
                                const MergeOptions& options) {
  const Result<std::string> folder = make_unique_directory(parent_of(output), ".junit-");
  if (!folder) return propagate(folder, fmt::format("cannot write '{}'", output));
  const Scratch scratch(*folder);
  const std::string bodies = join_path(scratch.path, "bodies");
  const std::string whole = join_path(scratch.path, "whole");

  MergeReport report;
  std::ofstream out(bodies, std::ios::binary | std::ios::trunc);
  const auto write = [&](const TestSuite& suite) {
    report.totals += totals_of(suite);
    out << suite_to_xml(suite, options.write);
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const MergeInput& input = inputs[i];
    const Result<std::vector<TestSuite>> suites = read_input(input.path);
    if (!suites) {
      report.unreadable.push_back({i, suites.error().message});
      write(unreadable(input.name.empty() ? input.path : input.name, suites.error().message));
    } else {
      for (const TestSuite& suite : *suites) write(suite);
    }
  }
  for (const TestSuite& suite : options.extra) write(suite);
  out.close();
  if (!out) return fail(fmt::format("cannot write '{}': {}", bodies, last_error()));

  if (options.time_s > 0) report.totals.time_s = options.time_s;
  if (const Status written =
          put_together(junit_header(options.name, report.totals), bodies, whole);
      !written)
    return propagate(written);
  std::error_code error;
  std::filesystem::rename(whole, output, error);
  if (error) return fail(fmt::format("cannot replace '{}': {}", output, error.message()));
  return report;
}

Result<JunitTotals> merge_junit(const std::vector<std::string>& inputs, const std::string& output,
                                const MergeOptions& options) {
  std::vector<MergeInput> named;
  named.reserve(inputs.size());
  for (const std::string& path : inputs) named.push_back({path, ""});
  const Result<MergeReport> report = merge_junit(named, output, options);
  if (!report) return propagate(report);
  return report->totals;
}

}  // namespace bulkhead
