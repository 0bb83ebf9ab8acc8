#include "junit/address.h"

#include <algorithm>

#include "base/strings.h"
#include "junit/sanitize.h"

namespace bulkhead {

namespace {

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (;;) {
    const auto end = text.find("::");
    names.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return names;
    text.remove_prefix(end + 2);
  }
}

std::string dotted(std::string path) {
  std::replace(path.begin(), path.end(), '/', '.');
  if (path.size() >= 3 && path.compare(path.size() - 3, 3, ".py") == 0) path.resize(path.size() - 3);
  return path;
}

// `names` begins with the path; `parameters` begins with `[`, or is empty.
CaseAddress address_of(std::vector<std::string> names, std::string_view parameters) {
  names.front() = dotted(std::move(names.front()));
  CaseAddress address;
  address.name = legal_xml_characters(names.back() + std::string(parameters));
  names.pop_back();
  address.classname = legal_xml_characters(join(names, "."));
  return address;
}

// The path is `path`; the first bracket after it opens the parameters.
CaseAddress address_after_path(std::string_view path, std::string_view rest) {
  std::vector<std::string> names;
  std::string_view parameters;
  names.emplace_back(path);
  if (!rest.empty()) {
    const auto bracket = std::min(rest.find('['), rest.size());
    parameters = rest.substr(bracket);
    for (std::string& name : split_names(rest.substr(0, bracket))) names.push_back(std::move(name));
  }
  return address_of(std::move(names), parameters);
}

}  // namespace

CaseAddress case_address(std::string_view node_id, std::string_view file) {
  if (!file.empty() && node_id.substr(0, file.size()) == file) {
    const std::string_view rest = node_id.substr(file.size());
    if (rest.empty()) return address_after_path(file, {});
    if (rest.substr(0, 2) == "::") return address_after_path(file, rest.substr(2));
  }
  const auto end = node_id.find("::");
  if (end == std::string_view::npos) return address_after_path(node_id, {});
  return address_after_path(node_id.substr(0, end), node_id.substr(end + 2));
}

std::vector<CaseAddress> case_addresses(std::string_view node_id, std::string_view file) {
  std::vector<CaseAddress> addresses{case_address(node_id, file), case_address(node_id, "")};
  // Before 9.2, pytest takes the first bracket anywhere, in the path too, for the parameters'.
  const auto bracket = std::min(node_id.find('['), node_id.size());
  addresses.push_back(
      address_of(split_names(node_id.substr(0, bracket)), node_id.substr(bracket)));
  return addresses;
}

}  // namespace bulkhead
