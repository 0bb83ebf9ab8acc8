#include "junit/writer.h"

#include <string_view>

#include <fmt/format.h>

#include "base/strings.h"
#include "junit/sanitize.h"

namespace bulkhead {

namespace {

class Writer {
 public:
  explicit Writer(const JunitWriteOptions& options) : options_(options) {}

  void suite(const TestSuite& suite) {
    const JunitTotals totals = totals_of(suite);
    out_ += "<testsuite";
    attribute("name", !suite.name.empty() ? suite.name : suite.file, "unnamed");
    optional_attribute("file", suite.file);
    out_ += fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                        totals.tests, totals.failures, totals.errors, totals.skipped,
                        suite.time_s);
    optional_attribute("timestamp", suite.timestamp);
    optional_attribute("hostname", suite.hostname);
    out_ += ">\n";
    properties(suite.properties);
    for (const TestCase& test : suite.cases) test_case(test, suite);
    element("system-out", suite.system_out);
    element("system-err", suite.system_err);
    out_ += "</testsuite>\n";
  }

  std::string take() { return std::move(out_); }

 private:
  void attribute(std::string_view name, std::string_view value, std::string_view otherwise = "") {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    out_ += escape_xml_attribute(legal_xml_characters(value.empty() ? otherwise : value));
    out_ += '"';
  }

  void optional_attribute(std::string_view name, std::string_view value) {
    if (!value.empty()) attribute(name, value);
  }

  void message(const CaseProblem& problem) {
    if (!problem.message.empty()) {
      const std::string plain = legal_xml_text(problem.message);
      const std::string_view kept = utf8_prefix(plain, kLongestMessage);
      attribute("message", kept.size() == plain.size() ? plain : std::string(kept) + "...");
    }
  }

  std::string limited(std::string_view text) const {
    const std::string plain = legal_xml_text(text);
    const std::string note =
        options_.log_path.empty()
            ? fmt::format("[cut: {} bytes in all]", plain.size())
            : fmt::format("[cut: {} bytes in all, whole in {}]", plain.size(),
                          legal_xml_characters(options_.log_path));
    return cut_middle(plain, options_.text_limit, note);
  }

  void element(std::string_view tag, std::string_view text) {
    if (text.empty()) return;
    out_ += fmt::format("<{}>{}</{}>\n", tag, escape_xml_text(limited(text)), tag);
  }

  void properties(const Properties& properties) {
    if (properties.empty()) return;
    out_ += "<properties>\n";
    for (const auto& [name, value] : properties) {
      out_ += "<property";
      attribute("name", name, "unnamed");
      attribute("value", legal_xml_text(value));
      out_ += "/>\n";
    }
    out_ += "</properties>\n";
  }

  void problem(const CaseProblem& problem) {
    std::string_view tag = "failure";
    if (problem.kind == CaseProblem::Kind::kError) tag = "error";
    if (problem.kind == CaseProblem::Kind::kSkipped) tag = "skipped";
    out_ += fmt::format("<{}", tag);
    message(problem);
    optional_attribute("type", problem.type);
    if (problem.text.empty()) {
      out_ += "/>\n";
    } else {
      out_ += fmt::format(">{}</{}>\n", escape_xml_text(limited(problem.text)), tag);
    }
  }

  void rerun(const Rerun& rerun, bool passed_in_the_end) {
    const std::string tag =
        fmt::format("{}{}", passed_in_the_end ? "flaky" : "rerun",
                    rerun.problem.kind == CaseProblem::Kind::kError ? "Error" : "Failure");
    out_ += fmt::format("<{}", tag);
    message(rerun.problem);
    attribute("type", rerun.problem.type, "failure");  // the schema requires it
    out_ += ">\n";
    element("stackTrace", rerun.problem.text);
    element("system-out", rerun.system_out);
    element("system-err", rerun.system_err);
    out_ += fmt::format("</{}>\n", tag);
  }

  void test_case(const TestCase& test, const TestSuite& suite) {
    const std::string& file = test.file.empty() ? suite.file : test.file;
    out_ += "<testcase";
    attribute("name", test.name.empty() ? file : test.name, "unnamed");
    attribute("classname", test.classname);
    optional_attribute("file", file);
    if (test.line > 0) out_ += fmt::format(" line=\"{}\"", test.line);
    out_ += fmt::format(" time=\"{:.3f}\"", test.time_s);
    if (test.properties.empty() && test.problems.empty() && test.reruns.empty() &&
        test.system_out.empty() && test.system_err.empty()) {
      out_ += "/>\n";
      return;
    }
    out_ += ">\n";
    properties(test.properties);
    for (const CaseProblem& each : test.problems) problem(each);
    for (const Rerun& each : test.reruns) rerun(each, !is_failing(test));
    element("system-out", test.system_out);
    element("system-err", test.system_err);
    out_ += "</testcase>\n";
  }

  const JunitWriteOptions& options_;
  std::string out_;
};

}  // namespace

std::string suite_to_xml(const TestSuite& suite, const JunitWriteOptions& options) {
  Writer writer(options);
  writer.suite(suite);
  return writer.take();
}

std::string junit_header(const std::string& name, const JunitTotals& totals) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"{:.3f}\">\n",
      escape_xml_attribute(legal_xml_characters(name)), totals.tests, totals.failures,
      totals.errors, totals.skipped, totals.time_s);
}

std::string junit_footer() { return "</testsuites>\n"; }

std::string junit_document(const TestSuite& suite, const JunitWriteOptions& options) {
  return junit_header(suite.name, totals_of(suite)) + suite_to_xml(suite, options) +
         junit_footer();
}

}  // namespace bulkhead
