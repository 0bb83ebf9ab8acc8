#include "discover/freshness.h"

#include <charconv>

#include <fmt/format.h>

#include "base/strings.h"
#include "config/directives.h"

namespace bulkhead {

namespace {

constexpr std::string_view kHeader = "bulkhead-freshness 1";
constexpr std::int64_t kRacyNs = 2'000'000'000;  // FAT's grain, the coarsest there is

void append_encoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '%' || c == '\n') {
      out += c == '%' ? "%25" : "%0A";
    } else {
      out += c;
    }
  }
}

std::string decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += text[i + 1] == '2' ? '%' : '\n';
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

template <class Number>
bool take_number(std::string_view& line, Number& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const auto used = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() || used >= line.size() || line[used] != '\t') return false;
  line.remove_prefix(used + 1);
  return true;
}

void append_records(std::string& out, char kind, const std::vector<Recorded>& records) {
  for (const Recorded& record : records) {
    const FileStamp stamp = record.stamp.value_or(FileStamp{});
    fmt::format_to(std::back_inserter(out), "{}{}\t{}\t{}\t{}\t{}\t", kind,
                   record.stamp ? (stamp.directory ? 'd' : 'f') : '-', stamp.mtime_ns, stamp.size,
                   stamp.inode, record.hash);
    append_encoded(out, record.path);
    out += '\n';
  }
}

std::optional<Recorded> take_record(std::string_view line) {
  if (line.size() < 3 || line[2] != '\t') return std::nullopt;
  const char kind = line[1];
  line.remove_prefix(3);
  FileStamp stamp;
  Recorded record;
  if (!take_number(line, stamp.mtime_ns) || !take_number(line, stamp.size) ||
      !take_number(line, stamp.inode) || !take_number(line, record.hash))
    return std::nullopt;
  stamp.directory = kind == 'd';
  if (kind != '-') record.stamp = stamp;
  record.path = decoded(line);
  return record;
}

bool is_left_by_tools(std::string_view name) {
  return name == "__pycache__" || name == ".pytest_cache" || name == ".bulkhead" ||
         name == "4913" || name.ends_with(".pyc") || name.ends_with(".pyo") ||
         name.ends_with(".swp") || name.ends_with(".swo") || name.ends_with(".swx") ||
         name.ends_with('~') || name.starts_with(".#") || name.starts_with(".coverage") ||
         (name.starts_with('#') && name.ends_with('#'));
}

std::string settings_text(const EntrySettings& settings) {
  std::string text;
  for (const auto* list : {&settings.labels, &settings.locks, &settings.resources})
    text += join(*list, ",") + ";";
  const auto add = [&](const auto& value) {
    text += value ? std::to_string(static_cast<double>(*value)) : "-";
    text += ';';
  };
  add(settings.timeout_s);
  add(settings.processors);
  add(settings.serial);
  add(settings.retries);
  text += settings.on_empty ? std::to_string(static_cast<int>(*settings.on_empty)) : "-";
  text += settings.on_leak ? std::to_string(static_cast<int>(*settings.on_leak)) : "-";
  return text;
}

class Checker {
 public:
  Checker(FreshnessCheck& check, std::int64_t recorded_at_ns)
      : check_(check), recorded_at_ns_(recorded_at_ns) {}

  void stale(std::string_view what, std::string_view path) {
    if (check_.stale_because.empty())
      check_.stale_because = fmt::format("{} '{}'", what, to_valid_utf8(path));
  }

  // Whether the stamp alone proves that nothing changed.
  bool proves(const Recorded& record, const std::optional<FileStamp>& stamp) const {
    if (record.stamp != stamp) return false;
    return !stamp || !is_racy(*stamp, recorded_at_ns_);
  }

  void check_directory(Recorded& record) {
    const std::optional<FileStamp> stamp = stamp_of(record.path);
    if (!stamp || !stamp->directory) return stale("the folder is gone:", record.path);
    if (proves(record, stamp)) return;
    const std::uint64_t hash = listing_hash(record.path);
    if (hash == 0 || hash != record.hash) return stale("files came or went in", record.path);
    record.stamp = stamp;
    check_.settled = true;
  }

  void check_watched(Recorded& record) {
    const std::optional<FileStamp> stamp = stamp_of(record.path);
    if (proves(record, stamp)) return;
    if (record.stamp != stamp || record.hash == 0 || stamp->directory ||
        content_hash(record.path) != record.hash) {
      // Of a racy folder (site-packages) there is no content to compare: once more, then.
      if (record.stamp == stamp && stamp->directory && listing_hash(record.path) == record.hash) {
        check_.settled = true;
        return;
      }
      return stale("changed:", record.path);
    }
    check_.settled = true;
  }

  Status check_file(Recorded& record, const std::string& root) {
    const std::string path = record.path.starts_with('/') ? record.path : root + "/" + record.path;
    const std::optional<FileStamp> stamp = stamp_of(path);
    if (!stamp || stamp->directory) {
      stale("the file is gone:", record.path);
      return {};
    }
    if (proves(record, stamp)) return {};
    const Result<std::uint64_t> hash = directives_hash(path, path);
    if (!hash) return propagate(hash);
    if (*hash != record.hash) check_.changed_files.push_back(record.path);
    record.hash = *hash;
    record.stamp = stamp;
    check_.settled = true;
    return {};
  }

 private:
  FreshnessCheck& check_;
  std::int64_t recorded_at_ns_;
};

}  // namespace

std::string freshness_to_text(const Freshness& freshness) {
  std::string text;
  text.reserve(128 * (freshness.files.size() + freshness.directories.size() + 16));
  text += kHeader;
  text += '\n';
  text += std::to_string(freshness.recorded_at_ns);
  for (const std::string* line : {&freshness.key, &freshness.root}) {
    text += '\n';
    append_encoded(text, *line);
  }
  text += '\n';
  append_records(text, 'i', freshness.inputs);
  append_records(text, 'o', freshness.outputs);
  append_records(text, 't', freshness.durations);
  append_records(text, 'd', freshness.directories);
  append_records(text, 'w', freshness.watched);
  append_records(text, 'f', freshness.files);
  text += "end\n";
  return text;
}

std::optional<Freshness> freshness_from_text(std::string_view text) {
  const auto take_line = [&]() -> std::optional<std::string_view> {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
  };
  Freshness freshness;
  const auto header = take_line();
  const auto time = take_line();
  const auto key = take_line();
  const auto root = take_line();
  if (!header || *header != kHeader || !time || !key || !root) return std::nullopt;
  const char* time_end = time->data() + time->size();
  if (std::from_chars(time->data(), time_end, freshness.recorded_at_ns).ptr != time_end)
    return std::nullopt;
  freshness.key = decoded(*key);
  freshness.root = decoded(*root);
  while (const auto line = take_line()) {
    if (*line == "end") return freshness;
    std::optional<Recorded> record = take_record(*line);
    if (!record) return std::nullopt;
    switch (line->front()) {
      case 'i': freshness.inputs.push_back(std::move(*record)); break;
      case 'o': freshness.outputs.push_back(std::move(*record)); break;
      case 't': freshness.durations.push_back(std::move(*record)); break;
      case 'd': freshness.directories.push_back(std::move(*record)); break;
      case 'w': freshness.watched.push_back(std::move(*record)); break;
      case 'f': freshness.files.push_back(std::move(*record)); break;
      default: return std::nullopt;
    }
  }
  return std::nullopt;  // torn
}

Result<FreshnessCheck> check_freshness(Freshness record, const std::string& key,
                                       std::int64_t now_ns) {
  FreshnessCheck check;
  const std::int64_t recorded_at_ns = record.recorded_at_ns;
  check.now = std::move(record);
  Freshness& now = check.now;
  now.recorded_at_ns = now_ns;
  Checker checker(check, recorded_at_ns);
  if (now.key != key) {
    check.stale_because = "the driver, the interpreter or their environment changed";
    return check;
  }
  for (const Recorded& input : now.inputs) {
    if (content_hash(input.path) != input.hash) checker.stale("changed:", input.path);
  }
  for (const Recorded& output : now.outputs) {
    if (stamp_of(output.path) != output.stamp) check.outputs_changed = true;
  }
  for (Recorded& durations : now.durations) {
    const std::optional<FileStamp> stamp = stamp_of(durations.path);
    if (stamp != durations.stamp) check.durations_changed = true;
    durations.stamp = stamp;
  }
  for (Recorded& directory : now.directories) checker.check_directory(directory);
  for (Recorded& watched : now.watched) checker.check_watched(watched);
  if (!check.stale_because.empty()) return check;
  for (Recorded& file : now.files) {
    const Status checked = checker.check_file(file, now.root);
    if (!checked) return propagate(checked);
  }
  return check;
}

bool is_racy(const FileStamp& stamp, std::int64_t recorded_at_ns) {
  return stamp.mtime_ns > recorded_at_ns - kRacyNs;
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash == 0 ? 1 : hash;
}

std::uint64_t listing_hash(const std::string& folder) {
  const Result<std::vector<DirectoryItem>> items = list_directory(folder);
  if (!items) return 0;
  std::string names;
  for (const DirectoryItem& item : *items) {
    if (is_left_by_tools(item.name)) continue;
    names += item.name;
    names += item.directory ? '/' : '\0';
    names += '\0';
  }
  return hash_of(names);
}

std::uint64_t content_hash(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? hash_of(*text) : 0;
}

Result<std::uint64_t> directives_hash(const std::string& path, const std::string& file) {
  const Result<std::string> head = read_head(path, kDirectiveHeadBytes);
  if (!head) return propagate(head);
  const Result<EntrySettings> settings = parse_directives(*head, file);
  if (!settings) return propagate(settings);
  return hash_of(settings_text(*settings));
}

}  // namespace bulkhead
