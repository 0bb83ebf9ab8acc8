#include "model/manifest.h"

#include <fstream>

#include <fmt/format.h>

#include "base/strings.h"
#include "model/json_text.h"

namespace bulkhead {

namespace {

template <class Enum>
using Words = std::initializer_list<std::pair<Enum, std::string_view>>;

const Words<EmptyPolicy> kEmptyWords = {
    {EmptyPolicy::kSkip, "skip"}, {EmptyPolicy::kPass, "pass"}, {EmptyPolicy::kFail, "fail"}};
const Words<LeakPolicy> kLeakWords = {{LeakPolicy::kWarn, "warn"}, {LeakPolicy::kFail, "fail"}};
const Words<BytecodePolicy> kBytecodeWords = {{BytecodePolicy::kRead, "read"},
                                              {BytecodePolicy::kWrite, "write"},
                                              {BytecodePolicy::kNone, "none"}};

template <class Enum>
std::string word_for(const Words<Enum>& words, Enum value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return std::string(word);
  }
  return {};
}

template <class Enum>
Enum value_for(const Words<Enum>& words, const std::string& word) {
  for (const auto& [value, candidate] : words) {
    if (candidate == word) return value;
  }
  throw JsonFormatError{fmt::format("'{}' is not a known word", word)};
}

std::vector<std::string> strings_at(const Json& object, const char* key) {
  std::vector<std::string> strings;
  for (const Json& element : array_at(object, key)) {
    if (!element.is_string()) throw JsonFormatError{fmt::format("'{}' holds a non-string", key)};
    strings.push_back(from_json_string(element.get_ref<const std::string&>()));
  }
  return strings;
}

Json settings_to_json(const EntrySettings& settings) {
  Json json = Json::object();
  if (!settings.labels.empty()) json["labels"] = settings.labels;
  if (!settings.locks.empty()) json["lock"] = settings.locks;
  if (!settings.resources.empty()) json["resource"] = settings.resources;
  if (settings.timeout_s) json["timeout"] = *settings.timeout_s;
  if (settings.processors) json["processors"] = *settings.processors;
  if (settings.serial) json["serial"] = *settings.serial;
  if (settings.retries) json["retries"] = *settings.retries;
  if (settings.on_empty) json["on-empty"] = word_for(kEmptyWords, *settings.on_empty);
  if (settings.on_leak) json["on-leak"] = word_for(kLeakWords, *settings.on_leak);
  return json;
}

EntrySettings settings_from_json(const Json& json) {
  EntrySettings settings;
  if (json.contains("labels")) settings.labels = strings_at(json, "labels");
  if (json.contains("lock")) settings.locks = strings_at(json, "lock");
  if (json.contains("resource")) settings.resources = strings_at(json, "resource");
  if (json.contains("timeout")) settings.timeout_s = number_at(json, "timeout");
  if (json.contains("processors"))
    settings.processors = static_cast<int>(integer_at(json, "processors"));
  if (json.contains("serial")) settings.serial = boolean_at(json, "serial");
  if (json.contains("retries")) settings.retries = static_cast<int>(integer_at(json, "retries"));
  if (json.contains("on-empty"))
    settings.on_empty = value_for(kEmptyWords, string_at(json, "on-empty"));
  if (json.contains("on-leak"))
    settings.on_leak = value_for(kLeakWords, string_at(json, "on-leak"));
  return settings;
}

// The configuration's rules are not in the manifest: they have been applied to the entries.
Json suite_to_json(const Suite& suite) {
  const SuiteConfig& config = suite.config;
  Json json;
  json["version"] = kManifestVersion;
  json["name"] = config.name;
  json["root"] = config.root;
  json["prefix"] = config.prefix;
  json["python-args"] = config.python_args;
  json["paths"] = config.paths;
  json["pytest-args"] = config.pytest_args;
  json["env"] = config.env;
  json["pass-env"] = config.pass_env;
  json["bytecode"] = word_for(kBytecodeWords, config.bytecode);
  json["descriptors"] = config.descriptors;
  json["ports"] = config.ports;
  json["term-grace"] = config.term_grace_s;
  json["leak-grace"] = config.leak_grace_s;
  json["output-limit"] = config.output_limit;
  json["keep-runs"] = config.keep_runs;
  json["launcher"] = config.launcher;
  json["rerun"] = config.rerun;
  json["python"] = suite.python;
  json["python-reason"] = suite.python_reason;
  json["python-version"] = suite.python_version;
  json["pytest-version"] = suite.pytest_version;
  json["rootdir"] = suite.rootdir;
  json["inipath"] = suite.inipath;
  json["confcutdir"] = suite.confcutdir;
  json["plugins"] = suite.plugins;
  json["skip-token"] = suite.skip_token;
  json["listing-error"] = suite.listing_error;
  return json;
}

Suite suite_from_json(const Json& json) {
  check_version(json, kManifestVersion);
  Suite suite;
  SuiteConfig& config = suite.config;
  config.name = string_at(json, "name");
  config.root = string_at(json, "root");
  config.prefix = string_at(json, "prefix");
  config.python_args = strings_at(json, "python-args");
  config.paths = strings_at(json, "paths");
  config.pytest_args = strings_at(json, "pytest-args");
  for (const auto& [key, value] : object_at(json, "env").items()) {
    if (!value.is_string()) throw JsonFormatError{"'env' holds a non-string"};
    config.env[from_json_string(key)] = from_json_string(value.get_ref<const std::string&>());
  }
  config.pass_env = strings_at(json, "pass-env");
  config.bytecode = value_for(kBytecodeWords, string_at(json, "bytecode"));
  config.descriptors = integer_at(json, "descriptors");
  config.ports = static_cast<int>(integer_at(json, "ports"));
  config.term_grace_s = number_at(json, "term-grace");
  config.leak_grace_s = number_at(json, "leak-grace");
  config.output_limit = integer_at(json, "output-limit");
  config.keep_runs = static_cast<int>(integer_at(json, "keep-runs"));
  config.launcher = strings_at(json, "launcher");
  config.rerun = strings_at(json, "rerun");
  suite.python = string_at(json, "python");
  suite.python_reason = string_at(json, "python-reason");
  suite.python_version = string_at(json, "python-version");
  suite.pytest_version = string_at(json, "pytest-version");
  suite.rootdir = string_at(json, "rootdir");
  suite.inipath = string_at(json, "inipath");
  suite.confcutdir = string_at(json, "confcutdir");
  suite.plugins = strings_at(json, "plugins");
  suite.skip_token = string_at(json, "skip-token");
  suite.listing_error = string_at(json, "listing-error");
  return suite;
}

Json entry_to_json(const Entry& entry) {
  Json json;
  json["name"] = entry.name;  // first: read_manifest_entry() looks for it
  json["file"] = entry.file;
  json["narrowed"] = entry.selection == Entry::Selection::kNarrowed;
  json["cost"] = entry.cost_s;
  json["settings"] = settings_to_json(entry.settings);
  return json;
}

Entry entry_from_json(const Json& json) {
  Entry entry;
  entry.name = string_at(json, "name");
  entry.file = string_at(json, "file");
  entry.selection = boolean_at(json, "narrowed") ? Entry::Selection::kNarrowed
                                                 : Entry::Selection::kNamed;
  entry.cost_s = number_at(json, "cost");
  entry.settings = settings_from_json(object_at(json, "settings"));
  return entry;
}

std::string entry_line_start(std::string_view name) {
  std::string start = dump_json(Json{{"name", std::string(name)}});
  start.back() = ',';
  return start;
}

// Calls `use(line, number)` for each line until it answers false. Bounded memory but for one line.
template <class Use>
Status for_each_line(const std::string& path, Use use) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(fmt::format("cannot open '{}': run `bulkhead discover` first", path));
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const Status used = use(std::string_view(line), number);
    if (!used) return propagate(used, fmt::format("{}:{}", path, number));
  }
  if (file.bad()) return fail(fmt::format("cannot read '{}'", path));
  return {};
}

}  // namespace

std::string manifest_to_text(const Manifest& manifest) {
  std::string text = dump_json(suite_to_json(manifest.suite));
  text += '\n';
  for (const Entry& entry : manifest.entries) {
    text += dump_json(entry_to_json(entry));
    text += '\n';
  }
  return text;
}

Result<Manifest> read_manifest(const std::string& path) {
  Manifest manifest;
  const Status read = for_each_line(path, [&](std::string_view line, int number) -> Status {
    if (number == 1) {
      Result<Suite> suite = read_json(line, suite_from_json);
      if (!suite) return propagate(suite);
      manifest.suite = std::move(*suite);
      return {};
    }
    Result<Entry> entry = read_json(line, entry_from_json);
    if (!entry) return propagate(entry);
    manifest.entries.push_back(std::move(*entry));
    return {};
  });
  if (!read) return propagate(read);
  if (manifest.suite.rootdir.empty()) return fail(fmt::format("'{}' is empty", path));
  return manifest;
}

Result<SuiteAndEntry> read_manifest_entry(const std::string& path, std::string_view name) {
  const std::string start = entry_line_start(name);
  SuiteAndEntry found;
  bool seen = false;
  const Status read = for_each_line(path, [&](std::string_view line, int number) -> Status {
    if (number == 1) {
      Result<Suite> suite = read_json(line, suite_from_json);
      if (!suite) return propagate(suite);
      found.suite = std::move(*suite);
      return {};
    }
    if (seen || line.substr(0, start.size()) != start) return {};
    seen = true;
    Result<Entry> entry = read_json(line, entry_from_json);
    if (!entry) return propagate(entry);
    found.entry = std::move(*entry);
    return {};
  });
  if (!read) return propagate(read);
  if (seen) return found;
  const Result<Manifest> whole = read_manifest(path);
  if (!whole) return propagate(whole);
  std::vector<std::string_view> names;
  for (const Entry& entry : whole->entries) names.push_back(entry.name);
  return fail_usage(fmt::format("suite '{}' has no entry '{}'{}", found.suite.config.name, name,
                                did_you_mean(name, names)));
}

}  // namespace bulkhead
