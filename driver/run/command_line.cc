#include "run/command_line.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/strings.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

bool has_plugin(const Suite& suite, std::string_view name) {
  return std::find(suite.plugins.begin(), suite.plugins.end(), name) != suite.plugins.end();
}

bool would_be_split(std::string_view path) {
  return path.find('[') != std::string_view::npos || path.find("::") != std::string_view::npos;
}

std::string path_below_rootdir(const Suite& suite, const Entry& entry) {
  return relative_to(join_path(suite.config.root, entry.file), suite.rootdir);
}

}  // namespace

bool rootdir_goes_by_variable(const Suite& suite) {
  return suite.rootdir.find('$') != std::string::npos;
}

std::string selected_path(const Suite& suite, const Entry& entry) {
  std::string path = path_below_rootdir(suite, entry);
  if (entry.selection == Entry::Selection::kNarrowed) {
    do {
      const auto slash = path.rfind('/');
      if (slash == std::string::npos) return ".";
      path.resize(std::max<std::size_t>(slash, 1));
    } while (would_be_split(path) && path != "/");
  }
  // Not an option, and not a file of arguments (`@file`, pytest 8.2).
  if (path[0] == '-' || path[0] == '@') path.insert(0, "./");
  return path;
}

std::vector<std::string> pytest_command(const Suite& suite, const Entry& entry,
                                        const CommandLineFacts& facts) {
  std::vector<std::string> argv = {suite.python};
  const auto add_all = [&argv](const std::vector<std::string>& more) {
    argv.insert(argv.end(), more.begin(), more.end());
  };
  add_all(suite.config.python_args);
  add_all({"-m", "pytest", "-p", "bulkhead_plugin"});
  add_all(suite.config.pytest_args);
  argv.push_back(rootdir_goes_by_variable(suite) ? fmt::format("--rootdir=${}", kRootdirVariable)
                                                 : "--rootdir=" + suite.rootdir);
  // Without an ini file of the suite's own pytest must not find another; the plugin makes the
  // empty one look like none.
  add_all({"-c", suite.inipath.empty() ? "/dev/null" : suite.inipath});
  if (!suite.confcutdir.empty()) argv.push_back("--confcutdir=" + suite.confcutdir);
  argv.emplace_back("--color=no");
  // pytest cannot write a report that names a file in bytes that are no text; the driver, which
  // completes every report from the events, can.
  const std::string path = path_below_rootdir(suite, entry);
  if (has_plugin(suite, "junitxml") && to_valid_utf8(path) == path)
    argv.push_back("--junitxml=" + facts.junit_xml);
  argv.push_back("--basetemp=" + facts.base_temp);
  if (has_plugin(suite, "cacheprovider")) add_all({"-o", "cache_dir=" + facts.cache});
  if (has_plugin(suite, "xdist")) add_all({"-n", "0", "--dist", "no"});
  argv.push_back(selected_path(suite, entry));
  return argv;
}

}  // namespace bulkhead
