// Where a suite's root is, for a command that was told none.
#pragma once

#include <string>
#include <vector>

namespace bulkhead {

// The root of the suite that `paths` (absolute; none: the working directory) belong to.
//
// Going upward from the deepest folder that holds them all, it is the first folder with Bulkhead's
// own configuration: bulkhead.toml, or [tool.bulkhead] in pyproject.toml. Where there is none, it
// is pytest's rootdir ("Initialization: determining rootdir and configfile",
// docs.pytest.org/en/stable/reference/customize.html): the first folder upward with an ini file,
// else with a setup.py, else the folder that holds both the paths and the working directory. A
// file that cannot be read or parsed counts: whoever reads it next says what is wrong with it.
std::string find_suite_root(const std::string& working_directory,
                            const std::vector<std::string>& paths);

}  // namespace bulkhead
