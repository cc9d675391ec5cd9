// Every target in one program, for any compiler: replay CORPUS/TARGET/INPUT... The tests build and run it.
// Each target stands in a namespace of its own, so all headers come before.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "check.hpp"
#include "estimates/front.hpp"
#include "measures/front.hpp"
#include "scores/front.hpp"
#include "slow.hpp"

namespace of_names {
#define LLVMFuzzerTestOneInput names_target
#include "names.cpp"
#undef LLVMFuzzerTestOneInput
}  // namespace of_names
namespace of_numbers {
#define LLVMFuzzerTestOneInput numbers_target
#include "numbers.cpp"
#undef LLVMFuzzerTestOneInput
}  // namespace of_numbers
namespace of_labels {
#define LLVMFuzzerTestOneInput read_labels_target
#include "read_labels.cpp"
#undef LLVMFuzzerTestOneInput
}  // namespace of_labels
namespace of_runs {
#define LLVMFuzzerTestOneInput read_run_target
#include "read_run.cpp"
#undef LLVMFuzzerTestOneInput
}  // namespace of_runs
namespace of_scores {
#define LLVMFuzzerTestOneInput score_target
#include "score.cpp"
#undef LLVMFuzzerTestOneInput
}  // namespace of_scores

int main(int count, char** paths) {
    const std::map<std::string, int (*)(const std::uint8_t*, std::size_t)> targets = {
        {"names", of_names::names_target},
        {"numbers", of_numbers::numbers_target},
        {"read_labels", of_labels::read_labels_target},
        {"read_run", of_runs::read_run_target},
        {"score", of_scores::score_target},
    };
    for (int i = 1; i < count; ++i) {
        const std::string path = paths[i], folder = path.substr(0, path.rfind('/'));
        const auto target = targets.find(folder.substr(folder.rfind('/') + 1));
        std::ifstream file(path, std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        std::fprintf(stderr, "%s\n", paths[i]);  // the last one named is the one at fault
        if (target == targets.end() || (!file.good() && !file.eof())) return 2;
        target->second(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
    std::printf("%d inputs\n", count - 1);
    return 0;
}
