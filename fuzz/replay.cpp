// Calls a target with files, for compilers without libFuzzer: g++ read_run.cpp replay.cpp, then FILE...
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** paths) {
    for (int i = 1; i < count; ++i) {
        std::ifstream file(paths[i], std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (!file.good() && !file.eof()) return 2;
        std::fprintf(stderr, "%s\n", paths[i]);  // the last one named is the one at fault
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
    std::printf("%d inputs\n", count - 1);
    return 0;
}
