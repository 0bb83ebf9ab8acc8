"""The includes of the driver are those that ARCHITECTURE.md's table allows."""
import re

from conftest import SOURCE

OS_HEADER = re.compile(r'#include <(sys/|linux/|unistd|fcntl|poll|spawn|dirent|sched|windows|pthread|net|arpa)')


def allowed_modules():
    table = {}
    for line in (SOURCE / "ARCHITECTURE.md").read_text().splitlines():
        match = re.match(r"\| (\w+) \|[^|]*\| ([^|]*) \|$", line)
        if match:
            table[match.group(1)] = match.group(2).strip()
    return table


def modules_allowed(table, module):
    text = table[module]
    if text == "–":
        return set()
    if text == "everything but cli":
        return set(table) - {"cli"}
    return set(re.split(r",\s*", text))


def sources():
    return [path for path in (SOURCE / "driver").rglob("*")
            if path.suffix in (".cc", ".h") and path.parent != SOURCE / "driver"]


def test_every_include_is_in_the_table():
    table = {name: text for name, text in allowed_modules().items()
             if (SOURCE / "driver" / name).is_dir()}
    assert len(table) >= 12
    wrong = []
    for path in sources():
        module = path.relative_to(SOURCE / "driver").parts[0]
        for line in path.read_text().splitlines():
            match = re.match(r'#include "(\w+)/', line)
            if match and match.group(1) != module:
                if match.group(1) not in modules_allowed(table, module):
                    wrong.append(f"{path.relative_to(SOURCE)}: {line}")
    assert not wrong


def test_only_the_platform_folder_knows_the_operating_system():
    wrong = [f"{path.relative_to(SOURCE)}: {line}"
             for path in sources() if "platform" not in path.parts
             for line in path.read_text().splitlines()
             if OS_HEADER.match(line) or re.match(r"#\s*if", line)]
    assert not wrong


def test_no_file_is_over_its_length():
    long = {str(path.relative_to(SOURCE)): lines for path in sources()
            if (lines := len(path.read_text().splitlines())) > 600}
    assert not long


def test_headers_are_guarded_once():
    assert not [str(path) for path in sources()
                if path.suffix == ".h" and "#pragma once" not in path.read_text()]
