#include "discover/discover.h"

#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>

#include "base/strings.h"
#include "config/config.h"
#include "config/directives.h"
#include "ctest/include_file.h"
#include "ctest/names.h"
#include "discover/freshness.h"
#include "discover/interpreter.h"
#include "discover/lister.h"
#include "model/durations.h"
#include "model/layout.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "python/embedded.h"

namespace bulkhead {

namespace {

// The kernel stamps files with a clock that lags up to a tick (CONFIG_HZ=100) behind.
constexpr std::int64_t kClockLagNs = 20'000'000;

std::int64_t now_ns() { return static_cast<std::int64_t>(wall_clock_s() * 1e9); }

std::string stamp_text(const std::string& path) {
  const std::optional<FileStamp> stamp = stamp_of(path);
  if (!stamp) return path + " -";
  return fmt::format("{} {} {} {}", path, stamp->mtime_ns, stamp->size, stamp->inode);
}

// `path` relative to the root, with `..` where it lies outside.
std::string relative_name(const std::string& path, const std::string& root) {
  const std::string below = relative_to(path, root);
  if (!below.starts_with('/')) return below;
  std::string up;
  for (std::string base = root; base != "/"; base = parent_of(base)) {
    const std::string relative = relative_to(path, base);
    if (!relative.starts_with('/')) return up + relative;
    up += "../";
  }
  return up + path.substr(1);
}

std::string path_of(const std::string& root, const std::string& file) {
  return file.starts_with('/') ? file : root + "/" + file;
}

class Discoverer {
 public:
  explicit Discoverer(const DiscoverRequest& request)
      : request_(request),
        state_(request.state),
        driver_(request.driver.empty() ? own_executable() : request.driver) {}

  Result<Discovery> run() {
    const Status made = make_directories(state_.path());
    if (!made) return propagate(made);
    if (!request_.refresh) {
      const Result<FreshnessCheck> check = look();
      if (check && check->is_fresh() && !check->settled) return Discovery{};
    }
    const Result<FileLock> lock = FileLock::acquire(state_.discover_lock());
    if (!lock) return propagate(lock);
    // Somebody else may have done the work while we waited.
    const Result<FreshnessCheck> check = look();
    if (!check) return propagate(check);
    if (!request_.refresh && check->stale_because.empty()) {
      if (check->is_fresh()) {
        if (check->settled) {
          const Status written = write_freshness(check->now);
          if (!written) return propagate(written);
        }
        return Discovery{};
      }
      const Result<bool> updated = update(*check);
      if (!updated) return propagate(updated);
      if (*updated) return Discovery{.work = Discovery::Work::kUpdated, .reason = {}};
    }
    Discovery discovery{.work = Discovery::Work::kListed,
                        .reason = request_.refresh ? "asked to" : check->stale_because};
    const Status listed = list_anew();
    if (!listed) {
      // What lies there is of an earlier tree: nobody may take it for today's.
      (void)remove_tree(state_.freshness());
      return propagate(listed);
    }
    return discovery;
  }

 private:
  // The record of last time against the tree of now.
  Result<FreshnessCheck> look() const {
    FreshnessCheck none;
    none.stale_because = "never listed before";
    const Result<std::string> text = read_file(state_.freshness());
    if (!text) return none;
    std::optional<Freshness> record = freshness_from_text(*text);
    if (!record) return none;
    const std::int64_t now = now_ns();
    const std::string key = key_for(record->key);
    return check_freshness(std::move(*record), key, now);
  }

  // The key begins with the configured interpreter, which is known without the configuration only
  // from the record; the configuration itself is compared by content.
  static std::string key_line(const std::string& driver, const SuiteConfig& config) {
    std::string key = config.python + "\t" + config.python_chosen_by + "\t" + config.root + "\t";
    key += BULKHEAD_VERSION "\t" + stamp_text(driver) + "\t" + stamp_text(own_executable());
    const auto environment = InterpreterEnvironment::current();
    if (const auto candidates = interpreter_candidates(config, environment)) {
      for (const Candidate& candidate : *candidates) key += "\t" + stamp_text(candidate.path);
    }
    for (const char* name : {"PYTHONPATH", "PYTHONHOME", "PYENV_VERSION"})
      key += "\t" + environment_variable(name).value_or("");
    return key;
  }

  std::string key_for(const std::string& recorded_key) const {
    SuiteConfig config;
    const std::vector<std::string_view> fields = split(recorded_key, '\t');
    if (fields.size() > 2) {
      config.python = fields[0];
      config.python_chosen_by = fields[1];
      config.root = fields[2];
    }
    return key_line(driver_, config);
  }

  Status list_anew() {
    const Result<LoadedConfig> loaded = load_suite_config(state_.suite_json());
    if (!loaded) return propagate(loaded);
    const SuiteConfig& config = loaded->config;
    for (const std::string& path : config.paths) {
      const std::string whole = path.starts_with('/') ? path : join_path(config.root, path);
      if (!stamp_of(whole))
        return fail_usage(fmt::format("paths: '{}' does not exist in '{}'", to_valid_utf8(path),
                                      to_valid_utf8(config.root)));
    }
    Freshness freshness;
    for (const std::string& input : loaded->inputs)
      freshness.inputs.push_back({input, std::nullopt, content_hash(input)});
    freshness.key = key_line(driver_, config);
    freshness.root = config.root;

    Manifest manifest;
    manifest.suite.config = config;
    const Result<Listing> listing = listing_of_a_quiet_tree(manifest.suite, freshness);
    if (!listing) return propagate(listing);
    Suite& suite = manifest.suite;
    suite.python_version = listing->python_version;
    suite.pytest_version = listing->pytest_version;
    suite.rootdir = listing->rootdir;
    suite.inipath = listing->inipath;
    suite.confcutdir = listing->confcutdir;
    suite.plugins = listing->plugins;
    suite.listing_error = listing->error;
    suite.skip_token = skip_token();
    const Status entries = make_entries(*listing, manifest, freshness);
    if (!entries) return entries;
    return write_outputs(manifest, freshness);
  }

  // Lists, and lists again where the tree changed meanwhile: what the second listing saw is then
  // what the record says. A tree that never rests is recorded as stale.
  Result<Listing> listing_of_a_quiet_tree(Suite& suite, Freshness& freshness) {
    const Status python = write_python();
    if (!python) return propagate(python);
    const Environment environment =
        request_.environment ? *request_.environment
                             : lister_environment(whole_environment(), suite.config);
    const auto candidates =
        interpreter_candidates(suite.config, InterpreterEnvironment::current());
    if (!candidates) return propagate(candidates);
    const Result<Interpreter> interpreter =
        choose_interpreter(suite.config, *candidates, environment);
    if (!interpreter) return propagate(interpreter);
    suite.python = interpreter->path;
    suite.python_reason = interpreter->reason;
    const Result<std::string> scratch = make_unique_directory("/tmp", "bulkhead-");
    if (!scratch) return propagate(scratch);
    const ListRequest request{.config = &suite.config,
                              .python = interpreter->path,
                              .python_folder = state_.python(),
                              .scratch = *scratch,
                              .environment = environment};
    std::map<std::string, std::uint64_t> before;
    for (int attempt = 1;; ++attempt) {
      freshness.recorded_at_ns = now_ns();
      Result<Listing> listing = list_files(request);
      const bool quiet = !listing || record_tree(*listing, before, freshness);
      if (quiet || attempt == 2) {
        (void)remove_tree(*scratch);
        return listing;
      }
    }
  }

  // Whether each folder and watched file is as old as the listing, or as it was before.
  static bool record_tree(const Listing& listing, std::map<std::string, std::uint64_t>& before,
                          Freshness& freshness) {
    bool quiet = true;
    const std::int64_t started = freshness.recorded_at_ns - kClockLagNs;
    std::map<std::string, std::uint64_t> now;
    const auto settle = [&](Recorded& record) {
      if (!record.stamp || record.stamp->mtime_ns < started) return;
      now[record.path] = record.hash;
      const auto earlier = before.find(record.path);
      if (earlier != before.end() && earlier->second == record.hash) return;
      quiet = false;
      record.hash = 0;
    };
    freshness.directories.clear();
    freshness.watched.clear();
    for (const std::string& path : listing.directories) {
      Recorded record{path, stamp_of(path), listing_hash(path)};
      settle(record);
      freshness.directories.push_back(std::move(record));
    }
    for (const std::string& path : listing.watch) {
      Recorded record{path, stamp_of(path), 0};
      if (record.stamp && is_racy(*record.stamp, freshness.recorded_at_ns))
        record.hash = record.stamp->directory ? listing_hash(path) : content_hash(path);
      settle(record);
      freshness.watched.push_back(std::move(record));
    }
    before = std::move(now);
    return quiet;
  }

  static Status make_entries(const Listing& listing, Manifest& manifest, Freshness& freshness) {
    const SuiteConfig& config = manifest.suite.config;
    const std::string real_root = real_path(config.root);
    for (const ListedFile& listed : listing.files) {
      Entry entry;
      // Python knows its working directory by its real path only.
      entry.file = relative_to(listed.path, config.root).starts_with('/')
                       ? relative_name(listed.path, real_root)
                       : relative_to(listed.path, config.root);
      entry.name = entry_name(config.prefix, entry.file);
      if (!listed.named_ok) entry.selection = Entry::Selection::kNarrowed;
      manifest.entries.push_back(std::move(entry));
    }
    std::ranges::sort(manifest.entries, {}, &Entry::file);
    const Status distinct = check_names(manifest);
    if (!distinct) return distinct;
    std::vector<std::string> faults;
    for (Entry& entry : manifest.entries) {
      const std::string path = path_of(config.root, entry.file);
      Recorded record{entry.file, stamp_of(path), 0};
      const Status read = read_directives(config, entry);
      const Result<std::uint64_t> hash = directives_hash(path, path);
      if (!read || !hash) {
        if (!read && read.error().kind != ErrorKind::kUsage) return read;
        faults.push_back(read ? hash.error().message : read.error().message);
        continue;
      }
      record.hash = *hash;
      freshness.files.push_back(std::move(record));
    }
    if (!faults.empty()) return fail_usage(join(faults, "\n"));
    return {};
  }

  static Status read_directives(const SuiteConfig& config, Entry& entry) {
    const std::string path = path_of(config.root, entry.file);
    const Result<std::string> head = read_head(path, kDirectiveHeadBytes);
    if (!head) return propagate(head);
    const Result<EntrySettings> directive = parse_directives(*head, path);
    if (!directive) return propagate(directive);
    entry.settings = resolve_settings(config, entry.file, *directive);
    return {};
  }

  static Status check_names(const Manifest& manifest) {
    std::map<std::string_view, std::string_view> seen;
    const std::string finaliser = finaliser_name(manifest.suite.config.name);
    seen[finaliser] = "the suite's report";
    for (const Entry& entry : manifest.entries) {
      const auto [first, fresh] = seen.try_emplace(entry.name, entry.file);
      if (!fresh)
        return fail_usage(fmt::format("'{}' and '{}' would both be the entry '{}'",
                                      to_valid_utf8(first->second), to_valid_utf8(entry.file),
                                      entry.name));
    }
    return {};
  }

  // The set of files stands. False where the manifest cannot be read: then list anew.
  Result<bool> update(const FreshnessCheck& check) {
    Result<Manifest> manifest = read_manifest(state_.manifest());
    if (!manifest) return false;
    const Result<LoadedConfig> loaded = load_suite_config(state_.suite_json());
    if (!loaded) return propagate(loaded);
    for (const std::string& file : check.changed_files) {
      const auto entry = std::ranges::lower_bound(manifest->entries, file, {}, &Entry::file);
      if (entry == manifest->entries.end() || entry->file != file) return false;
      const Status read = read_directives(loaded->config, *entry);
      if (!read) return propagate(read);
    }
    Freshness now = check.now;
    const Status written = write_outputs(*manifest, now);
    if (!written) return propagate(written);
    return true;
  }

  // Costs, then the manifest and the include file, then the record of both.
  Status write_outputs(Manifest& manifest, Freshness& freshness) {
    freshness.durations = {{state_.durations(), stamp_of(state_.durations()), 0}};
    Durations durations;
    if (const Result<std::string> text = read_file(state_.durations())) {
      // A torn one only costs the order of the entries.
      if (const Result<Durations> read = durations_from_text(*text)) durations = *read;
    }
    for (Entry& entry : manifest.entries) {
      const auto known = durations.find(entry.file);
      entry.cost_s = known == durations.end() ? 0 : known->second.seconds;
    }
    IncludeFileOptions options{.driver = driver_, .state = state_.path(), .sizes = {}};
    for (const Recorded& file : freshness.files) {
      if (file.stamp) options.sizes[file.path] = file.stamp->size;
    }
    const Status manifest_written =
        write_file_if_changed(state_.manifest(), manifest_to_text(manifest));
    if (!manifest_written) return manifest_written;
    const Status include_written =
        write_file_if_changed(state_.entries_cmake(), include_file_text(manifest, options));
    if (!include_written) return include_written;
    freshness.outputs.clear();
    for (const std::string& path : {state_.manifest(), state_.entries_cmake()})
      freshness.outputs.push_back({path, stamp_of(path), 0});
    return write_freshness(freshness);
  }

  Status write_freshness(const Freshness& freshness) const {
    return write_file_atomically(state_.freshness(), freshness_to_text(freshness));
  }

  Status write_python() const {
    const Status made = make_directories(state_.python());
    if (!made) return made;
    for (const EmbeddedFile& file : embedded_python_files()) {
      const Status written =
          write_file_if_changed(join_path(state_.python(), file.name), file.text);
      if (!written) return written;
    }
    return {};
  }

  // Kept from listing to listing: a CTest that is running knows the old one.
  std::string skip_token() const {
    if (const Result<Manifest> old = read_manifest(state_.manifest());
        old && !old->suite.skip_token.empty())
      return old->suite.skip_token;
    std::random_device random;
    return fmt::format("[bulkhead-skip-{:08x}]", random());
  }

  const DiscoverRequest& request_;
  StateFolder state_;
  std::string driver_;
};

}  // namespace

Result<Discovery> discover(const DiscoverRequest& request) { return Discoverer(request).run(); }

}  // namespace bulkhead
