#include "discover/lister.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/strings.h"
#include "model/json_text.h"
#include "platform/environment.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

std::vector<std::string> strings_at(const Json& object, const char* key) {
  std::vector<std::string> strings;
  for (const Json& item : array_at(object, key)) {
    if (!item.is_string()) throw JsonFormatError{fmt::format("'{}' holds a non-string", key)};
    strings.push_back(from_json_string(item.get_ref<const std::string&>()));
  }
  return strings;
}

std::string optional_string_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::string() : string_at(object, key);
}

void read_listing(const Json& answer, Listing& listing) {
  const Json& python = object_at(answer, "python");
  listing.python = string_at(python, "executable");
  listing.python_version = string_at(python, "version");
  listing.pytest_version = string_at(answer, "pytest");
  listing.rootdir = string_at(answer, "rootdir");
  listing.inipath = optional_string_at(answer, "inipath");
  listing.confcutdir = optional_string_at(answer, "confcutdir");
  listing.plugins = strings_at(answer, "plugins");
  for (const Json& file : array_at(answer, "files"))
    listing.files.push_back({string_at(file, "path"), boolean_at(file, "named_ok")});
  listing.directories = strings_at(answer, "directories");
  listing.watch = strings_at(answer, "watch");
}

// How the suite's own configuration is left out, a step at a time, where pytest refuses it.
struct Leniency {
  std::vector<std::string> options;
  bool with_pytest_args = true;
};

const std::vector<Leniency>& leniencies() {
  static const std::vector<Leniency> kSteps = {
      {{}, true},
      {{"-o", "addopts="}, true},
      {{"--noconftest", "-o", "addopts="}, true},
      {{"--noconftest", "-o", "addopts="}, false}};
  return kSteps;
}

// pytest takes what stands behind a `[` or `::` for the name of a test.
bool would_be_split(std::string_view path) {
  return path.find('[') != std::string_view::npos || path.find("::") != std::string_view::npos;
}

struct PathArguments {
  std::vector<std::string> named;
  std::vector<std::string> only;  // where a folder had to be named for them: what is meant
};

PathArguments path_arguments(const SuiteConfig& config) {
  PathArguments arguments;
  bool split = false;
  for (const std::string& path : config.paths) {
    const std::string whole =
        absolute_path(path.starts_with('/') ? path : join_path(config.root, path));
    // Relative, since the root's own path may be one that pytest splits; the `./` keeps a name
    // from being an option or a file of arguments.
    std::string named = whole == config.root ? "." : relative_to(whole, config.root);
    if (!named.starts_with('/') && named != ".") named = "./" + named;
    while (would_be_split(named)) {
      split = true;
      named = parent_of(named);
    }
    arguments.named.push_back(std::move(named));
    arguments.only.push_back(whole == config.root ? "." : relative_to(whole, config.root));
  }
  if (!split) arguments.only.clear();
  return arguments;
}

std::vector<std::string> command_of(const ListRequest& request, const Leniency& leniency,
                                    const PathArguments& paths) {
  const SuiteConfig& config = *request.config;
  std::vector<std::string> argv = {request.python};
  const auto add = [&](const std::vector<std::string>& more) {
    argv.insert(argv.end(), more.begin(), more.end());
  };
  add(config.python_args);
  add({"-m", "pytest", "-p", "bulkhead_list", "--collect-only", "-q"});
  if (leniency.with_pytest_args) add(config.pytest_args);
  if (!config.ini.empty())
    add({"-c", config.ini.starts_with('/') ? config.ini : join_path(config.root, config.ini)});
  add(leniency.options);
  add(paths.named);
  return argv;
}

struct Run {
  std::optional<ListerAnswer> answer;
  std::string refusal;  // empty where the walk was complete and clean
};

// A `:` ends a folder in PYTHONPATH and cannot be quoted: a link stands for the folder then.
Result<std::string> folder_for_python_path(const ListRequest& request) {
  if (request.python_folder.find(':') == std::string::npos) return request.python_folder;
  const std::string link = join_path(request.scratch, "python");
  const Status linked = replace_symlink(link, request.python_folder);
  if (!linked) return propagate(linked);
  return link;
}

Result<Run> run_pytest(const ListRequest& request, const Leniency& leniency) {
  const std::string answer_path = join_path(request.scratch, "list.json");
  const Status removed = remove_tree(answer_path);
  if (!removed) return propagate(removed);
  Command command;
  const PathArguments paths = path_arguments(*request.config);
  command.argv = command_of(request, leniency, paths);
  command.working_directory = request.config->root;
  Environment environment = request.environment;
  Result<std::string> python_path = folder_for_python_path(request);
  if (!python_path) return propagate(python_path);
  std::erase_if(environment, [&](const auto& variable) {
    if (variable.first != "PYTHONPATH") return false;
    if (!variable.second.empty()) *python_path += ":" + variable.second;
    return true;
  });
  environment.emplace_back("PYTHONPATH", *python_path);
  environment.emplace_back("BULKHEAD_LIST", answer_path);
  if (!paths.only.empty()) environment.emplace_back("BULKHEAD_LIST_ONLY", dump_json(paths.only));
  command.environment = std::move(environment);
  const Result<CapturedProcess> process = run_captured(command, request.timeout_s);
  if (!process) return propagate(process);
  if (process->timed_out)
    return fail(fmt::format(
        "pytest did not list the files of '{}' within {:.0f} s: a conftest.py or a plugin may be "
        "waiting for something ({} -m pytest --collect-only shows where)",
        request.config->root, request.timeout_s, request.python));
  Run run;
  if (const Result<std::string> text = read_file(answer_path)) {
    Result<ListerAnswer> answer = parse_lister_answer(*text);
    if (!answer)
      return fail(fmt::format("the answer of the lister: {}", answer.error().message));
    run.answer = std::move(*answer);
  }
  if (run.answer && run.answer->complete && run.answer->errors.empty()) return run;
  if (run.answer && !run.answer->errors.empty()) {
    run.refusal = join(run.answer->errors, "; ");
  } else {
    run.refusal = refusal_of(process->out, process->err);
    if (run.refusal.empty()) run.refusal = "pytest ended with " + describe(process->end);
  }
  return run;
}

}  // namespace

Result<Listing> list_files(const ListRequest& request) {
  std::string first_refusal;
  std::optional<Listing> listing;
  std::map<std::string, bool> files;  // path → named_ok, of all the runs
  for (const Leniency& leniency : leniencies()) {
    const Result<Run> run = run_pytest(request, leniency);
    if (!run) return propagate(run);
    if (first_refusal.empty()) first_refusal = run->refusal;
    if (run->answer && !run->answer->listing.rootdir.empty()) {
      if (!listing) listing = run->answer->listing;
      for (const ListedFile& file : run->answer->listing.files)
        files.try_emplace(file.path, file.named_ok);
      // The folders of every run count: a mend in any of them is a reason to ask again.
      const auto add = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
        to.insert(to.end(), from.begin(), from.end());
        std::ranges::sort(to);
        to.erase(std::unique(to.begin(), to.end()), to.end());
      };
      add(listing->directories, run->answer->listing.directories);
      add(listing->watch, run->answer->listing.watch);
      if (run->answer->complete && run->refusal.empty()) {
        listing->error = first_refusal;
        listing->files.clear();
        for (const auto& [path, named_ok] : files) listing->files.push_back({path, named_ok});
        return std::move(*listing);
      }
    }
  }
  return fail(fmt::format("pytest, run by {}, cannot list the files of '{}': {}", request.python,
                          to_valid_utf8(request.config->root), first_refusal));
}

Environment lister_environment(const Environment& own, const SuiteConfig& config) {
  Environment environment;
  const auto set_by_us = [&](const std::string& name) {
    return name.starts_with("PYTEST_") || name.starts_with("BULKHEAD_") ||
           name == "PYTHONDONTWRITEBYTECODE" || config.env.contains(name);
  };
  for (const auto& [name, value] : own) {
    if (!set_by_us(name)) environment.emplace_back(name, value);
  }
  for (const auto& [name, value] : config.env) {
    if (name != "PYTHONDONTWRITEBYTECODE") environment.emplace_back(name, value);
  }
  environment.emplace_back("PYTHONDONTWRITEBYTECODE", "1");
  return environment;
}

Result<ListerAnswer> parse_lister_answer(std::string_view json) {
  return read_json(json, [](const Json& object) {
    check_version(object, 1);
    ListerAnswer answer;
    for (const Json& error : array_at(object, "errors")) {
      const std::string path = string_at(error, "path");
      const std::string message = to_valid_utf8(string_at(error, "message"));
      const bool named = path.empty() || message.find(path) != std::string::npos;
      answer.errors.push_back(named ? message : to_valid_utf8(path) + ": " + message);
    }
    answer.complete = boolean_at(object, "complete");
    if (object.contains("rootdir")) read_listing(object, answer.listing);
    return answer;
  });
}

std::string refusal_of(std::string_view out, std::string_view err) {
  std::string last;
  std::string error;
  std::string exception;
  std::string conftest;
  for (const std::string_view text : {out, err}) {
    for (const std::string_view raw : split(text, '\n')) {
      const std::string_view line = trim(raw);
      if (line.empty()) continue;
      last = line;
      if (line.starts_with("ImportError while loading conftest")) conftest = line;
      if (line.starts_with("E  ")) exception = trim(line.substr(1));
      if (const auto at = line.find(": error: "); at != std::string_view::npos && error.empty())
        error = trim(line.substr(at + 9));
      if (line.starts_with("ERROR: ") && error.empty() && !line.starts_with("ERROR: usage:"))
        error = trim(line.substr(7));
    }
  }
  if (!conftest.empty())
    return to_valid_utf8(exception.empty() ? conftest : conftest + " " + exception);
  if (!error.empty()) return to_valid_utf8(error);
  if (!exception.empty()) return to_valid_utf8(exception);
  return to_valid_utf8(last);
}

}  // namespace bulkhead
