#include "config/config.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/strings.h"
#include "config/check.h"
#include "config/keys.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

constexpr std::size_t kMaxMessages = 20;

// Reads one document into the configuration, and gathers what is wrong with it.
class Reader {
 public:
  Reader(SuiteConfig& config, std::string path, TextScalars scalars)
      : config_(config), path_(std::move(path)), scalars_(scalars) {}

  void set_where(std::string where) { path_ = std::move(where); }

  void read_suite(const ConfigValue& table, unsigned places) {
    for (const auto& [name, value] : table.members) {
      const Key* key = find_key(name, places);
      if (key == nullptr) {
        complain(value.line, unknown_key_message(name, places));
      } else if (key->type == KeyType::kRules) {
        read_rules(value);
      } else if (const auto checked = check_value(*key, value, scalars_)) {
        assign(*key, *checked);
      } else {
        complain(value.line, checked.error().message);
      }
    }
  }

  void complain(int line, std::string_view message) {
    messages_.push_back(place(line) + ": " + std::string(message));
  }

  Status status() const {
    if (messages_.empty()) return {};
    std::vector<std::string> told = messages_;
    if (told.size() > kMaxMessages) {
      told.resize(kMaxMessages);
      told.push_back(fmt::format("{}: … and {} more", path_, messages_.size() - kMaxMessages));
    }
    return fail_usage(join(told, "\n"));
  }

 private:
  std::string place(int line) const {
    return line > 0 ? fmt::format("{}:{}", path_, line) : path_;
  }

  void read_rules(const ConfigValue& value) {
    if (value.kind != ConfigValue::Kind::kList) {
      complain(value.line, "'rule' must be an array of tables: [[rule]]");
      return;
    }
    int number = 0;
    for (const ConfigValue& item : value.items) {
      ++number;
      if (item.kind != ConfigValue::Kind::kTable) {
        complain(item.line, "'rule' must be an array of tables: [[rule]]");
        continue;
      }
      read_rule(item, number);
    }
  }

  void read_rule(const ConfigValue& table, int number) {
    Rule rule;
    rule.where = table.line > 0 ? place(table.line) : fmt::format("{}: rule {}", path_, number);
    for (const auto& [name, value] : table.members) {
      const Key* key = find_key(name, kInRule);
      if (key == nullptr) {
        complain(value.line, "rule: " + unknown_key_message(name, kInRule));
        continue;
      }
      const auto checked = check_value(*key, value, scalars_);
      if (!checked) {
        complain(value.line, "rule: " + checked.error().message);
      } else if (!assign_setting(*key, *checked, rule.settings)) {
        rule.patterns = checked->texts;
      }
    }
    if (rule.patterns.empty())
      complain(table.line, fmt::format("rule {}: 'pattern' is missing or empty", number));
    config_.rules.push_back(std::move(rule));
  }

  void assign(const Key& key, const CheckedValue& value) {
    if (assign_setting(key, value, config_.defaults)) return;
    const std::map<std::string_view, std::string*> texts = {
        {"name", &config_.name},     {"root", &config_.root}, {"prefix", &config_.prefix},
        {"python", &config_.python}, {"ini", &config_.ini}};
    const std::map<std::string_view, std::vector<std::string>*> adding = {
        {"python-args", &config_.python_args},
        {"pytest-args", &config_.pytest_args},
        {"pass-env", &config_.pass_env}};
    if (const auto text = texts.find(key.name); text != texts.end()) {
      *text->second = value.text;
      if (key.name == "python")
        config_.python_chosen_by = scalars_ == TextScalars::kTaken ? "option" : "configuration";
    } else if (const auto list = adding.find(key.name); list != adding.end()) {
      list->second->insert(list->second->end(), value.texts.begin(), value.texts.end());
    } else if (key.name == "paths") {
      config_.paths = value.texts;
    } else if (key.name == "launcher") {
      config_.launcher = value.texts;
    } else if (key.name == "rerun") {
      config_.rerun = value.texts;
    } else if (key.name == "env") {
      for (const auto& [name, variable] : value.variables) config_.env[name] = variable;
    } else if (key.name == "bytecode") {
      config_.bytecode = value.text == "read"    ? BytecodePolicy::kRead
                         : value.text == "write" ? BytecodePolicy::kWrite
                                                 : BytecodePolicy::kNone;
    } else if (key.name == "descriptors") {
      config_.descriptors = value.integer;
    } else if (key.name == "ports") {
      config_.ports = static_cast<int>(value.integer);
    } else if (key.name == "term-grace") {
      config_.term_grace_s = value.number;
    } else if (key.name == "leak-grace") {
      config_.leak_grace_s = value.number;
    } else if (key.name == "output-limit") {
      config_.output_limit = value.integer;
    } else if (key.name == "keep-runs") {
      config_.keep_runs = static_cast<int>(value.integer);
    }
  }

  SuiteConfig& config_;
  std::string path_;
  TextScalars scalars_;
  std::vector<std::string> messages_;
};

Status read_toml(const ConfigText& source, SuiteConfig& config) {
  const Result<ConfigValue> document = parse_toml(source.text, source.path);
  if (!document) return propagate(document);
  Reader reader(config, source.path, TextScalars::kRefused);
  if (!source.pyproject) {
    if (const ConfigValue* tool = document->find("tool");
        tool != nullptr && tool->find("bulkhead") != nullptr) {
      reader.complain(tool->line,
                      "[tool.bulkhead] is for pyproject.toml: here the keys stand at the top");
      return reader.status();
    }
    reader.read_suite(*document, kInSuite);
    return reader.status();
  }
  const ConfigValue* tool = document->find("tool");
  const ConfigValue* table = tool == nullptr ? nullptr : tool->find("bulkhead");
  if (table == nullptr) return {};
  if (table->kind == ConfigValue::Kind::kTable) {
    reader.read_suite(*table, kInSuite);
  } else {
    reader.complain(table->line, "'tool.bulkhead' must be a table");
  }
  return reader.status();
}

Status read_json(const ConfigValue& document, const std::string& path, SuiteConfig& config) {
  Reader reader(config, path, TextScalars::kTaken);
  // Who gave it says more than a file that nobody wrote by hand.
  if (const ConfigValue* where = document.find("where");
      where != nullptr && where->kind == ConfigValue::Kind::kText && !where->text.empty())
    reader.set_where(where->text);
  reader.read_suite(document, kInSuite | kInJson);
  return reader.status();
}

std::string both_messages(const Status& first, const Status& second) {
  if (first) return second.error().message;
  if (second) return first.error().message;
  return first.error().message + "\n" + second.error().message;
}

// The TOML file of the root that holds the suite's configuration, if any.
Result<std::optional<ConfigText>> find_toml(const std::string& root,
                                            std::vector<std::string>& inputs) {
  const std::string own = join_path(root, "bulkhead.toml");
  const std::string pyproject = join_path(root, "pyproject.toml");
  inputs.push_back(own);
  inputs.push_back(pyproject);
  std::optional<ConfigText> found;
  if (is_file(pyproject)) {
    const Result<std::string> text = read_file(pyproject);
    if (!text) return propagate(text);
    const Result<ConfigValue> document = parse_toml(*text, pyproject);
    if (!document) return propagate(document);
    const ConfigValue* tool = document->find("tool");
    if (tool != nullptr && tool->find("bulkhead") != nullptr)
      found = ConfigText{.path = pyproject, .text = *text, .pyproject = true};
  }
  if (is_file(own)) {
    const Result<std::string> text = read_file(own);
    if (!text) return propagate(text);
    if (found)
      return fail_usage(fmt::format(
          "both '{}' and [tool.bulkhead] in '{}' configure the suite: keep one of them", own,
          pyproject));
    found = ConfigText{.path = own, .text = *text};
  }
  return found;
}

}  // namespace

Result<SuiteConfig> read_config(const std::optional<ConfigText>& toml,
                                const std::optional<ConfigText>& json) {
  SuiteConfig config;
  const Status from_toml = toml ? read_toml(*toml, config) : Status();
  Status from_json;
  if (json) {
    const Result<ConfigValue> document = parse_json_config(json->text, json->path);
    from_json = document ? read_json(*document, json->path, config) : propagate(document);
  }
  if (!from_toml || !from_json)
    return fail_usage(both_messages(from_toml, from_json));
  return config;
}

Result<LoadedConfig> load_suite_config(const std::string& suite_json) {
  LoadedConfig loaded;
  loaded.inputs.push_back(suite_json);
  const Result<std::string> text = read_file(suite_json);
  if (!text) return propagate(text);
  const ConfigText json{.path = suite_json, .text = *text};
  const Result<ConfigValue> document = parse_json_config(json.text, json.path);
  if (!document) return propagate(document);
  const ConfigValue* root = document->find("root");
  if (root == nullptr || root->kind != ConfigValue::Kind::kText || root->text.empty() ||
      root->text[0] != '/')
    return fail_usage(suite_json + ": 'root' must be an absolute path");
  if (!is_directory(root->text))
    return fail_usage(fmt::format("{}: the suite's root '{}' is not a folder", suite_json,
                                  to_valid_utf8(root->text)));
  const Result<std::optional<ConfigText>> toml = find_toml(root->text, loaded.inputs);
  if (!toml) return propagate(toml);
  Result<SuiteConfig> config = read_config(*toml, json);
  if (!config) return propagate(config);
  loaded.config = std::move(*config);
  loaded.config.root = absolute_path(loaded.config.root);
  return loaded;
}

EntrySettings resolve_settings(const SuiteConfig& config, std::string_view file,
                               const EntrySettings& directive) {
  EntrySettings resolved;
  resolved.timeout_s = kDefaultTimeoutS;
  resolved.processors = 1;
  resolved.serial = false;
  resolved.retries = 0;
  resolved.on_empty = EmptyPolicy::kSkip;
  resolved.on_leak = LeakPolicy::kWarn;
  const auto lay_over = [&](const EntrySettings& level) {
    add_distinct(resolved.labels, level.labels);
    add_distinct(resolved.locks, level.locks);
    resolved.resources.insert(resolved.resources.end(), level.resources.begin(),
                              level.resources.end());
    if (level.timeout_s) resolved.timeout_s = level.timeout_s;
    if (level.processors) resolved.processors = level.processors;
    if (level.serial) resolved.serial = level.serial;
    if (level.retries) resolved.retries = level.retries;
    if (level.on_empty) resolved.on_empty = level.on_empty;
    if (level.on_leak) resolved.on_leak = level.on_leak;
  };
  lay_over(config.defaults);
  for (const Rule& rule : config.rules) {
    const bool matches = std::ranges::any_of(
        rule.patterns, [&](const std::string& pattern) { return glob_match(pattern, file); });
    if (matches) lay_over(rule.settings);
  }
  lay_over(directive);
  return resolved;
}

}  // namespace bulkhead
