#include "config/config.h"

#include <gtest/gtest.h>

#include "config/keys.h"

namespace bulkhead {
namespace {

Result<SuiteConfig> from_toml(const std::string& text) {
  return read_config(ConfigText{.path = "bulkhead.toml", .text = text}, std::nullopt);
}

Result<SuiteConfig> from_both(const std::string& toml, const std::string& json) {
  return read_config(ConfigText{.path = "bulkhead.toml", .text = toml},
                     ConfigText{.path = "suite.json", .text = json});
}

std::string error_of(const Result<SuiteConfig>& result) {
  return result ? "no error" : result.error().message;
}

TEST(Config, ReadsEveryKindOfKey) {
  const auto config = from_toml(R"(
name = "unit"
paths = ["tests", "more"]
pytest-args = ["-m", "not slow"]
timeout = 2.5
serial = true
on-empty = "fail"
on-leak = "fail"
bytecode = "none"
descriptors = 256
labels = "one"
resource = ["gpus:1"]
env = { A = "1" }
[[rule]]
pattern = "tests/db/**"
lock = ["postgres"]
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->name, "unit");
  EXPECT_EQ(config->paths, (std::vector<std::string>{"tests", "more"}));
  EXPECT_EQ(config->defaults.timeout_s, 2.5);
  EXPECT_EQ(config->defaults.serial, true);
  EXPECT_EQ(config->defaults.on_empty, EmptyPolicy::kFail);
  EXPECT_EQ(config->bytecode, BytecodePolicy::kNone);
  EXPECT_EQ(config->descriptors, 256);
  EXPECT_EQ(config->defaults.labels, std::vector<std::string>{"one"});
  EXPECT_EQ(config->env.at("A"), "1");
  ASSERT_EQ(config->rules.size(), 1u);
  EXPECT_EQ(config->rules[0].where, "bulkhead.toml:14");
  EXPECT_EQ(config->rules[0].settings.locks, std::vector<std::string>{"postgres"});
}

TEST(Config, EveryFaultOfAFileIsToldWithItsLine) {
  const auto config = from_toml(
      "labls = [\"a\"]\n"
      "timeout = \"600\"\n"
      "processors = 0\n"
      "resource = [\"GPU:1\", \"x\"]\n"
      "on-empty = \"ignore\"\n"
      "[[rule]]\npattern = \"a\"\npython = \"x\"\n"
      "[[rule]]\nlabel = \"a\"\n");
  EXPECT_EQ(config.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(error_of(config),
            "bulkhead.toml:1: unknown key 'labls' (did you mean 'labels'?)\n"
            "bulkhead.toml:2: 'timeout' must be a number of seconds, not '600'\n"
            "bulkhead.toml:3: 'processors' must be from 1 to 4096, not 0\n"
            "bulkhead.toml:4: resource 'GPU:1' must be named by lower-case letters, digits and "
            "'_'\n"
            "bulkhead.toml:5: 'on-empty' must be one of 'skip', 'pass', 'fail', not 'ignore'\n"
            "bulkhead.toml:8: rule: 'python' cannot differ from file to file: it belongs to the "
            "suite\n"
            "bulkhead.toml:10: rule: unknown key 'label' (did you mean 'labels'?)\n"
            "bulkhead.toml:9: rule 2: 'pattern' is missing or empty");
}

TEST(Config, AtMostTwentyFaultsAreTold) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "zz" + std::to_string(i) + " = 1\n";
  const std::string message = error_of(from_toml(text));
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 20);
  EXPECT_NE(message.find("and 30 more"), std::string::npos);
}

TEST(Config, BrokenTomlIsAnErrorWithItsLine) {
  EXPECT_EQ(error_of(from_toml("a = 1\nb = [\n")).substr(0, 36),
            "bulkhead.toml:2: not valid TOML: Err");
}

TEST(Config, TableNameOfPyprojectInBulkheadTomlIsExplained) {
  EXPECT_EQ(error_of(from_toml("[tool.bulkhead]\nname = 'a'\n")),
            "bulkhead.toml:1: [tool.bulkhead] is for pyproject.toml: here the keys stand at the "
            "top");
}

TEST(Config, OnlyItsOwnTableOfPyprojectIsRead) {
  const auto config = read_config(
      ConfigText{.path = "pyproject.toml",
                 .text = "[project]\nname = 'x'\n[tool.bulkhead]\nports = 3\n[tool.black]\nq = 1\n",
                 .pyproject = true},
      std::nullopt);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->ports, 3);
  EXPECT_EQ(config->name, "tests");
}

TEST(Config, SuiteJsonWinsOnScalarsAndAddsToLists) {
  const auto config = from_both(
      "timeout = 5\nlabels = ['a', 'b']\npaths = ['x']\nretries = 1\nenv = {A='1', B='1'}\n"
      "[[rule]]\npattern='p'\n",
      R"({"root":"/r","timeout":"9.5","labels":["b","c"],"paths":"y","serial":"ON",
          "env":["A=2=3"],"python":"/p","rule":[{"pattern":["q"],"lock":"l"}]})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->defaults.timeout_s, 9.5);
  EXPECT_EQ(config->defaults.retries, 1);
  EXPECT_EQ(config->defaults.labels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(config->paths, std::vector<std::string>{"y"});
  EXPECT_EQ(config->defaults.serial, true);
  EXPECT_EQ(config->env.at("A"), "2=3");
  EXPECT_EQ(config->env.at("B"), "1");
  EXPECT_EQ(config->python_chosen_by, "option");
  ASSERT_EQ(config->rules.size(), 2u);
  EXPECT_EQ(config->rules[1].patterns, std::vector<std::string>{"q"});
}

TEST(Config, FaultsOfSuiteJsonNameWhoGaveIt) {
  EXPECT_EQ(error_of(from_both("", R"({"where":"CMakeLists.txt:12","retries":"many"})")),
            "CMakeLists.txt:12: 'retries' must be a whole number, not 'many'");
  EXPECT_EQ(error_of(from_both("", "{")).substr(0, 12), "suite.json: ");
}

TEST(Config, NumbersThatAreNoneAreRefused) {
  for (const char* value : {"nan", "inf", "-1", "1e99", "true", "[1]", "{a=1}", "1979-05-27"})
    EXPECT_FALSE(from_toml(std::string("timeout = ") + value)) << value;
}

TEST(ResolveSettings, DirectiveBeatsLastMatchingRuleBeatsSuite) {
  SuiteConfig config;
  config.defaults.timeout_s = 1;
  config.defaults.labels = {"suite"};
  Rule first{.patterns = {"tests/**"}, .settings = {}, .where = {}};
  first.settings.timeout_s = 2;
  first.settings.retries = 2;
  first.settings.labels = {"first"};
  Rule second{.patterns = {"none", "tests/a*.py"}, .settings = {}, .where = {}};
  second.settings.timeout_s = 3;
  second.settings.labels = {"second", "suite"};
  config.rules = {first, second};
  EntrySettings directive;
  directive.labels = {"own"};
  EXPECT_EQ(resolve_settings(config, "tests/a.py", {}).timeout_s, 3);
  EXPECT_EQ(resolve_settings(config, "tests/b.py", {}).timeout_s, 2);
  EXPECT_EQ(resolve_settings(config, "other/b.py", {}).timeout_s, 1);
  const EntrySettings all = resolve_settings(config, "tests/a.py", directive);
  EXPECT_EQ(all.labels, (std::vector<std::string>{"suite", "first", "second", "own"}));
  EXPECT_EQ(all.retries, 2);
  directive.timeout_s = 0;
  EXPECT_EQ(resolve_settings(config, "tests/a.py", directive).timeout_s, 0);
  EXPECT_EQ(resolve_settings({}, "a", {}).timeout_s, kDefaultTimeoutS);
}

TEST(Keys, EachNameStandsForOneThing) {
  const auto keys = configuration_keys();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_FALSE(keys[i].help.empty());
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(keys[i].name, keys[j].name);
  }
}

}  // namespace
}  // namespace bulkhead
