#include "config/root.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "config/value.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

constexpr std::size_t kMostOfAnIniFile = std::size_t{1} << 20;

std::string common_ancestor(const std::string& a, const std::string& b) {
  std::string ancestor = a;
  while (ancestor != "/" && b != ancestor && !b.starts_with(ancestor + "/"))
    ancestor = parent_of(ancestor);
  return ancestor;
}

std::optional<std::string> first_upward(std::string folder,
                                        const std::function<bool(const std::string&)>& matches) {
  while (!matches(folder)) {
    if (folder == "/") return std::nullopt;
    folder = parent_of(folder);
  }
  return folder;
}

bool has(const std::string& folder, std::string_view file) {
  return is_file(join_path(folder, file));
}

// Whether `[tool.<table>]` stands in the folder's pyproject.toml, or nobody can tell.
bool pyproject_has(const std::string& folder, std::string_view table) {
  if (!has(folder, "pyproject.toml")) return false;
  const std::string path = join_path(folder, "pyproject.toml");
  const Result<std::string> text = read_file(path);
  if (!text) return true;
  const Result<ConfigValue> document = parse_toml(*text, path);
  if (!document) return true;
  const ConfigValue* tool = document->find("tool");
  return tool != nullptr && tool->find(table) != nullptr;
}

bool ini_has(const std::string& folder, std::string_view file, std::string_view section) {
  const Result<std::string> text = read_head(join_path(folder, file), kMostOfAnIniFile);
  if (!text) return false;
  return std::ranges::any_of(split(*text, '\n'),
                             [&](std::string_view line) { return line.starts_with(section); });
}

bool has_bulkhead_configuration(const std::string& folder) {
  return has(folder, "bulkhead.toml") || pyproject_has(folder, "bulkhead");
}

bool has_pytest_configuration(const std::string& folder) {
  return has(folder, "pytest.toml") || has(folder, ".pytest.toml") ||
         has(folder, "pytest.ini") || has(folder, ".pytest.ini") ||
         pyproject_has(folder, "pytest") || ini_has(folder, "tox.ini", "[pytest]") ||
         ini_has(folder, "setup.cfg", "[tool:pytest]");
}

}  // namespace

std::string find_suite_root(const std::string& working_directory,
                            const std::vector<std::string>& paths) {
  std::optional<std::string> ancestor;
  for (const std::string& path : paths) {
    const std::string folder = is_directory(path) ? path : parent_of(path);
    ancestor = ancestor ? common_ancestor(*ancestor, folder) : folder;
  }
  if (!ancestor) ancestor = working_directory;
  for (const auto& matches :
       {std::function(has_bulkhead_configuration), std::function(has_pytest_configuration),
        std::function([](const std::string& folder) { return has(folder, "setup.py"); })}) {
    if (const auto folder = first_upward(*ancestor, matches)) return *folder;
  }
  const std::string both = common_ancestor(working_directory, *ancestor);
  return both == "/" ? *ancestor : both;
}

}  // namespace bulkhead
