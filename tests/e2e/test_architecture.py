"""The sources are laid out as ARCHITECTURE.md says: who may include whom, where the operating
system is known, how long a file may get, and what lies at the top of the repository."""
import re
import subprocess

from conftest import SOURCE

DRIVER = SOURCE / "driver"

# Standard headers have no suffix; these are all the others, and the modules that may know them.
LIBRARIES = {
    "fmt/format.h": None,
    "fmt/format-inl.h": {"base"},
    "gtest/gtest.h": None,
    "nlohmann/json.hpp": {"model", "events"},
    "pugixml.hpp": {"junit"},
    "CLI/CLI.hpp": {"cli"},
    "tl/expected.hpp": {"base"},
    "toml++/toml.h": {"config"},
}

LONGEST = 600
# Over this, a file needs a reason here.
LONG = 400
REASONS = {
    "driver/junit/session_cases.cc":
        "one fold over the three sources of a test's verdict; its rules stand on each other",
    "driver/python/bulkhead_plugin.py":
        "the hooks of one session, which share its state",
}

TOP_LEVEL = {
    "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "ARCHITECTURE.md",
    "CHANGELOG.md", "cmake", "driver", "tests", "ci", "tools", "docs", "examples",
}


def relative(path):
    return str(path.relative_to(SOURCE))


def modules():
    return sorted(path.name for path in DRIVER.iterdir() if path.is_dir())


def allowed_includes():
    """Module → the modules it may include, read from ARCHITECTURE.md's table."""
    table = {}
    for line in (SOURCE / "ARCHITECTURE.md").read_text().splitlines():
        match = re.match(r"\| (\w+) \|[^|]*\| ([^|]*) \|$", line)
        if match and (DRIVER / match.group(1)).is_dir():
            table[match.group(1)] = match.group(2).strip()
    everything_but = "everything but "
    allowed = {}
    for module, text in table.items():
        if text == "–":
            allowed[module] = set()
        elif text.startswith(everything_but):
            allowed[module] = set(table) - {module, text[len(everything_but):]}
        else:
            allowed[module] = set(re.split(r",\s*", text))
    return allowed


def sources():
    """The C++ files of the modules; main.cc belongs to none."""
    return sorted(path for path in DRIVER.glob("*/**/*") if path.suffix in (".cc", ".h"))


def module_of(path):
    return path.relative_to(DRIVER).parts[0]


def written_files():
    """Every file of the repository that somebody writes code in."""
    return sorted(
        path for folder in ("driver", "tests", "ci", "tools", "cmake", "examples")
        for path in (SOURCE / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and ".bulkhead" not in path.parts
        and (path.suffix in (".cc", ".h", ".py", ".sh", ".cmake") or path.name == "CMakeLists.txt"))


def includes(path):
    for line in path.read_text().splitlines():
        match = re.match(r'\s*#\s*include\s*(<[^>]*>|"[^"]*")', line)
        if match:
            yield match.group(1)


def test_every_module_is_in_the_table():
    assert sorted(allowed_includes()) == modules()


def test_the_table_has_no_circle():
    allowed = allowed_includes()

    def reaches(module, passed):
        assert module not in passed, " → ".join([*passed, module])
        for other in allowed[module]:
            reaches(other, [*passed, module])

    for module in allowed:
        reaches(module, [])


def test_every_include_is_in_the_table():
    allowed = allowed_includes()
    wrong = []
    for path in sources():
        module = module_of(path)
        for include in includes(path):
            if include[0] != '"':
                continue
            other, slash, _ = include.strip('"').partition("/")
            if not slash or other != module and other not in allowed[module]:
                wrong.append(f"{relative(path)}: {include}")
    assert not wrong


def test_libraries_are_known_where_they_are_wrapped():
    wrong = []
    for path in sources():
        for include in includes(path):
            header = include.strip("<>")
            if include[0] == '"' or re.fullmatch(r"[a-z_]+", header):
                continue
            if header not in LIBRARIES:
                if module_of(path) != "platform":
                    wrong.append(f"{relative(path)}: {include} is for platform only")
            elif LIBRARIES[header] and module_of(path) not in LIBRARIES[header]:
                wrong.append(f"{relative(path)}: {include} is for {sorted(LIBRARIES[header])}")
    assert not wrong


def test_only_the_platform_folder_has_conditions():
    wrong = [f"{relative(path)}: {line}"
             for path in [DRIVER / "main.cc", *sources()] if module_of(path) != "platform"
             for line in path.read_text().splitlines() if re.match(r"\s*#\s*(el)?if", line)]
    assert not wrong


def test_headers_are_guarded_once():
    assert not [relative(path) for path in sources()
                if path.suffix == ".h" and path.read_text().count("#pragma once") != 1]


def test_files_are_short():
    lengths = {relative(path): len(path.read_text().splitlines()) for path in written_files()}
    assert len(lengths) > 100
    assert not {name: lines for name, lines in lengths.items() if lines > LONGEST}
    long = {name for name, lines in lengths.items() if lines > LONG}
    assert long == set(REASONS), "give a reason, or take back one that is not needed any more"


def test_sources_are_listed_and_never_globbed():
    lists = [path for path in written_files()
             if path.suffix == ".cmake" or path.name == "CMakeLists.txt"]
    assert not [relative(path) for path in lists
                if path.is_relative_to(DRIVER) and re.search(r"\bGLOB", path.read_text())]
    unlisted = []
    for path in sources():
        if path.suffix == ".cc":
            listed = (DRIVER / module_of(path) / "CMakeLists.txt").read_text()
            others = (DRIVER / "CMakeLists.txt").read_text()
            if not (re.search(rf"(?<![\w/]){re.escape(path.name)}(?!\w)", listed)
                    or f"{module_of(path)}/{path.name}" in others):
                unlisted.append(relative(path))
    assert not unlisted


def test_tests_stand_beside_what_they_test():
    """foo_test.cc beside foo.h or foo.cc."""
    lonely = []
    for path in sources():
        if path.name.endswith("_test.cc"):
            name = path.name[:-len("_test.cc")]
            if not any((path.parent / (name + suffix)).exists() for suffix in (".h", ".cc")):
                lonely.append(relative(path))
    assert not lonely


def test_the_top_of_the_repository_is_what_it_should_be():
    if (SOURCE / ".git").exists():
        listing = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "-z"], check=True,
                                 stdout=subprocess.PIPE).stdout.decode()
        names = {name.split("/")[0] for name in listing.split("\0") if name}
    else:
        names = {path.name for path in SOURCE.iterdir()} - {"build"}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL
