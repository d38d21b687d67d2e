// Runs all tests, or those whose name contains the first argument.
#include "tests/check.hpp"

int main(int count, char** arguments) {
    const std::string wanted = count > 1 ? arguments[1] : "";
    int passed = 0, failed = 0;
    std::cout.precision(17);
    for (const auto& test : treewright::check::tests()) {
        if (test.name.find(wanted) == std::string::npos) continue;
        treewright::check::failures = 0;
        test.run();
        ++(treewright::check::failures ? failed : passed);
        if (treewright::check::failures) std::cout << test.name << ": " << treewright::check::failures << " checks failed\n";
    }
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed > 0 || passed == 0;
}
