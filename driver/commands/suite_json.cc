#include "commands/suite_json.h"

#include "config/config.h"
#include "model/json_text.h"
#include "platform/files.h"

namespace bulkhead {

std::string suite_json_text(const CommandLineConfig& given) {
  Json json;
  json["where"] = "the command line";
  json["root"] = given.root;
  if (!given.python.empty()) json["python"] = given.python;
  if (!given.paths.empty()) json["paths"] = given.paths;
  if (!given.pytest_args.empty()) json["pytest-args"] = given.pytest_args;
  if (!given.pass_env.empty()) json["pass-env"] = given.pass_env;
  if (!given.rerun.empty()) json["rerun"] = given.rerun;
  return dump_json(json) + "\n";
}

Result<SuiteConfig> configure(const CommandLineConfig& given) {
  const Result<std::string> folder = make_unique_directory("/tmp", "bulkhead-");
  if (!folder) return propagate(folder);
  const std::string path = join_path(*folder, "suite.json");
  const Status written = write_file_atomically(path, suite_json_text(given));
  Result<LoadedConfig> loaded =
      written ? load_suite_config(path) : Result<LoadedConfig>(propagate(written));
  (void)remove_tree(*folder);
  if (!loaded) return propagate(loaded);
  return std::move(loaded->config);
}

}  // namespace bulkhead
