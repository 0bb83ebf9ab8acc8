#include "config/keys.h"

#include <array>

#include <fmt/format.h>

#include "base/strings.h"

namespace bulkhead {

namespace {

constexpr unsigned kAnywhere = kInSuite | kInRule | kInDirective;

}  // namespace

std::span<const Key> configuration_keys() {
  static const std::array kKeys = {
      Key{"name", KeyType::kText, kInSuite, 0, 0, {}, "tests",
          "names the suite in reports and fixtures: letters, digits, '.', '_' and '-'"},
      Key{"prefix", KeyType::kText, kInSuite, 0, 0, {}, "",
          "put in front of every entry's CTest name"},
      Key{"python", KeyType::kText, kInSuite, 0, 0, {}, "chosen",
          "the interpreter: a path, or a name on PATH"},
      Key{"python-args", KeyType::kTexts, kInSuite, 0, 0, {}, "",
          "options of the interpreter, e.g. '-X', 'dev'"},
      Key{"paths", KeyType::kTexts, kInSuite, 0, 0, {}, "pytest's testpaths, or the root",
          "files and folders of the suite, relative to its root"},
      Key{"ini", KeyType::kText, kInSuite, 0, 0, {}, "the one pytest finds",
          "pytest's configuration file, relative to the root"},
      Key{"pytest-args", KeyType::kTexts, kInSuite, 0, 0, {}, "",
          "further options of pytest, e.g. '-m', 'not slow'"},
      Key{"env", KeyType::kVariables, kInSuite, 0, 0, {}, "", "variables set in every entry"},
      Key{"pass-env", KeyType::kTexts, kInSuite, 0, 0, {}, "",
          "globs of variables to let through from the caller's environment"},
      Key{"labels", KeyType::kTexts, kAnywhere, 0, 0, {}, "", "CTest labels; levels add up"},
      Key{"lock", KeyType::kTexts, kAnywhere, 0, 0, {}, "",
          "names of which one entry at a time holds each; levels add up"},
      Key{"resource", KeyType::kResources, kAnywhere, 0, 0, {}, "",
          "CTest resources, each 'name:slots'; levels add up"},
      Key{"timeout", KeyType::kSeconds, kAnywhere, 0, 1e7, {}, "1500",
          "seconds for one attempt; 0: no limit"},
      Key{"processors", KeyType::kInteger, kAnywhere, 1, 4096, {}, "1",
          "processors that the entry takes of CTest's -j"},
      Key{"serial", KeyType::kBoolean, kAnywhere, 0, 0, {}, "false",
          "nothing else runs beside the entry"},
      Key{"retries", KeyType::kInteger, kAnywhere, 0, 100, {}, "0",
          "further attempts after a failed first"},
      Key{"on-empty", KeyType::kChoice, kAnywhere, 0, 0, {"skip", "pass", "fail"}, "skip",
          "what a file without tests is"},
      Key{"on-leak", KeyType::kChoice, kAnywhere, 0, 0, {"warn", "fail"}, "warn",
          "what processes left behind by a passing file mean"},
      Key{"bytecode", KeyType::kChoice, kInSuite, 0, 0, {"read", "write", "none"}, "read",
          "whether entries read and write __pycache__"},
      Key{"descriptors", KeyType::kInteger, kInSuite, 0, 1 << 30, {}, "0",
          "soft limit of open descriptors; 0: as high as allowed, to 65,536"},
      Key{"ports", KeyType::kInteger, kInSuite, 0, 1000, {}, "20",
          "size of the free port range in an entry's environment; 0: none"},
      Key{"term-grace", KeyType::kSeconds, kInSuite, 0, 3600, {}, "5",
          "seconds between SIGTERM and SIGKILL"},
      Key{"leak-grace", KeyType::kSeconds, kInSuite, 0, 3600, {}, "0.5",
          "seconds for processes that are just ending"},
      Key{"output-limit", KeyType::kInteger, kInSuite, 1024, 1 << 30, {}, "262144",
          "bytes of a test's captured output kept in reports"},
      Key{"keep-runs", KeyType::kInteger, kInSuite, 1, 100000, {}, "10",
          "older runs are pruned"},
      Key{"launcher", KeyType::kTexts, kInSuite, 0, 0, {}, "",
          "a command in front of the driver's own in CTest entries, e.g. 'srun', '-n', '1'"},
      Key{"rule", KeyType::kRules, kInSuite, 0, 0, {}, "",
          "settings for the files that match a pattern"},
      Key{"pattern", KeyType::kTexts, kInRule, 0, 0, {}, "",
          "globs over an entry's file, relative to the root; '**' crosses folders"},
      Key{"root", KeyType::kText, kInJson, 0, 0, {}, "", "the suite's root, absolute"},
      Key{"rerun", KeyType::kTexts, kInJson, 0, 0, {}, "'ctest', '-R', '{regex}'",
          "the command that reruns one entry: '{file}' stands for its file, '{regex}' for its "
          "CTest name as an anchored expression"},
      Key{"where", KeyType::kText, kInJson, 0, 0, {}, "",
          "who gave this configuration, for messages: 'CMakeLists.txt:12'"},
  };
  return kKeys;
}

const Key* find_key(std::string_view name, unsigned place) {
  for (const Key& key : configuration_keys()) {
    if (key.name == name && (key.places & place) != 0) return &key;
  }
  return nullptr;
}

std::vector<std::string_view> key_names(unsigned place) {
  std::vector<std::string_view> names;
  for (const Key& key : configuration_keys()) {
    if ((key.places & place) != 0) names.push_back(key.name);
  }
  return names;
}

std::string unknown_key_message(std::string_view name, unsigned place) {
  const std::string shown = to_valid_utf8(name);
  if (place != kInDirective && (place & kInSuite) == 0 && find_key(name, kInSuite) != nullptr)
    return fmt::format("'{}' cannot differ from file to file: it belongs to the suite", shown);
  if (place == kInDirective && find_key(name, kInSuite) != nullptr)
    return fmt::format("'{}' cannot be set in a file: it belongs to the suite", shown);
  if (place == kInSuite && name == "pattern")
    return "'pattern' belongs into a rule";
  return fmt::format("unknown key '{}'{}", shown, did_you_mean(name, key_names(place)));
}

}  // namespace bulkhead
