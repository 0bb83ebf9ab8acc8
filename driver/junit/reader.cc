#include "junit/reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "junit/sanitize.h"

namespace bulkhead {

namespace {

// No report nests deeper; it bounds the recursion on hostile input.
constexpr int kDeepestSuite = 64;

// Bytes that are not UTF-8 by the document's own word: pugixml converts those, and repairing them
// byte by byte first would destroy them.
bool has_other_encoding(std::string_view document) {
  const std::string_view start = document.substr(0, 2);
  if (start == "\xFE\xFF" || start == "\xFF\xFE") return true;
  if (document.size() >= 2 && (document[0] == '\0' || document[1] == '\0')) return true;
  if (document.substr(0, 5) != "<?xml") return false;
  std::string declaration(document.substr(0, std::min(document.find("?>"), std::size_t{200})));
  for (char& c : declaration) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return declaration.find("iso-8859-1") != std::string::npos ||
         declaration.find("latin1") != std::string::npos;
}

double number_of(const char* text) {
  // Some writers put a comma into `1,234.5`.
  std::string digits(text);
  std::erase(digits, ',');
  const double value = std::strtod(digits.c_str(), nullptr);
  return value >= 0 && value < 1e12 ? value : 0;
}

std::string characters_of(const pugi::xml_node& node, const char* attribute) {
  return legal_xml_characters(node.attribute(attribute).value());
}

std::string plain(std::string_view text) {
  return restore_spelled_characters(legal_xml_text(text));
}

// All the character data of an element: text and CDATA may alternate.
std::string text_of(const pugi::xml_node& node) {
  std::string text;
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
      text += child.value();
  }
  return plain(text);
}

CaseProblem read_problem(const pugi::xml_node& node, CaseProblem::Kind kind) {
  return {.kind = kind,
          .message = plain(node.attribute("message").value()),
          .type = characters_of(node, "type"),
          .text = text_of(node)};
}

void read_properties(const pugi::xml_node& node, Properties& properties) {
  for (const pugi::xml_node& property : node.children("property")) {
    const pugi::xml_attribute value = property.attribute("value");
    properties.emplace_back(characters_of(property, "name"),
                            value ? plain(value.value()) : text_of(property));
  }
}

Rerun read_rerun(const pugi::xml_node& node, CaseProblem::Kind kind) {
  Rerun rerun;
  rerun.problem = read_problem(node, kind);
  if (node.child("stackTrace")) rerun.problem.text = text_of(node.child("stackTrace"));
  rerun.system_out = text_of(node.child("system-out"));
  rerun.system_err = text_of(node.child("system-err"));
  return rerun;
}

TestCase read_case(const pugi::xml_node& node) {
  using Kind = CaseProblem::Kind;
  TestCase test;
  test.name = characters_of(node, "name");
  test.classname = characters_of(node, "classname");
  test.file = characters_of(node, "file");
  test.line = static_cast<std::int64_t>(number_of(node.attribute("line").value()));
  test.time_s = number_of(node.attribute("time").value());
  for (const pugi::xml_node& child : node.children()) {
    const std::string_view tag = child.name();
    if (tag == "failure") {
      test.problems.push_back(read_problem(child, Kind::kFailure));
    } else if (tag == "error") {
      test.problems.push_back(read_problem(child, Kind::kError));
    } else if (tag == "skipped" || tag == "disabled") {
      test.problems.push_back(read_problem(child, Kind::kSkipped));
    } else if (tag == "flakyFailure" || tag == "rerunFailure") {
      test.reruns.push_back(read_rerun(child, Kind::kFailure));
    } else if (tag == "flakyError" || tag == "rerunError") {
      test.reruns.push_back(read_rerun(child, Kind::kError));
    } else if (tag == "properties") {
      read_properties(child, test.properties);
    } else if (tag == "system-out") {
      test.system_out += text_of(child);
    } else if (tag == "system-err") {
      test.system_err += text_of(child);
    }
  }
  return test;
}

// Appends the suite and those inside it.
Status read_suite(const pugi::xml_node& node, int depth, std::vector<TestSuite>& suites) {
  if (depth > kDeepestSuite) return fail("suites are nested too deeply");
  const std::size_t index = suites.size();
  TestSuite suite;
  suite.name = characters_of(node, "name");
  suite.file = characters_of(node, "file");
  suite.timestamp = characters_of(node, "timestamp");
  suite.hostname = characters_of(node, "hostname");
  suite.time_s = number_of(node.attribute("time").value());
  suites.push_back(std::move(suite));
  for (const pugi::xml_node& child : node.children()) {
    const std::string_view tag = child.name();
    if (tag == "testcase") {
      suites[index].cases.push_back(read_case(child));
    } else if (tag == "testsuite") {
      if (const Status inner = read_suite(child, depth + 1, suites); !inner) return inner;
    } else if (tag == "properties") {
      read_properties(child, suites[index].properties);
    } else if (tag == "system-out") {
      suites[index].system_out += text_of(child);
    } else if (tag == "system-err") {
      suites[index].system_err += text_of(child);
    }
  }
  return {};
}

std::string at_line(std::string_view document, std::ptrdiff_t offset, std::string_view what) {
  const auto end = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)),
                            document.size());
  const auto line = 1 + std::count(document.begin(),
                                   document.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  return fmt::format("line {}: {}", line, what);
}

}  // namespace

Result<std::vector<TestSuite>> read_junit(std::string_view document) {
  pugi::xml_document parsed;
  pugi::xml_parse_result status;
  std::string repaired;
  if (has_other_encoding(document)) {
    repaired = document;
    status = parsed.load_buffer(repaired.data(), repaired.size());
  } else {
    repaired = repair_xml_characters(document);
    status = parsed.load_buffer(repaired.data(), repaired.size(),
                                pugi::parse_default | pugi::parse_ws_pcdata_single,
                                pugi::encoding_utf8);
  }
  if (status.status == pugi::status_no_document_element) return fail("it holds no XML element");
  if (!status) return fail(at_line(repaired, status.offset, status.description()));

  std::vector<TestSuite> suites;
  int roots = 0;
  for (const pugi::xml_node& root : parsed.children()) {
    if (root.type() != pugi::node_element) continue;
    if (++roots > 1) return fail(fmt::format("<{}> follows the end of the document", root.name()));
    const std::string_view tag = root.name();
    if (tag == "testsuite") {
      if (const Status read = read_suite(root, 1, suites); !read) return propagate(read);
    } else if (tag == "testsuites") {
      for (const pugi::xml_node& child : root.children("testsuite")) {
        if (const Status read = read_suite(child, 1, suites); !read) return propagate(read);
      }
    } else {
      return fail(fmt::format("the root is <{}>, not <testsuites>", tag));
    }
  }
  return suites;
}

}  // namespace bulkhead
