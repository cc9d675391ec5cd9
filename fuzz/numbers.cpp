// Parsing of numbers against strtod and of whole numbers against strtoll, on raw words and on words made of what
// numbers are made of.
#include "check.hpp"
#include "slow.hpp"

using namespace poolwise;

namespace {

void check_number(const std::string& word) {
    double expected = 0, found = 0;
    const bool good = slow::number(word, expected);
    const std::string padded = Names::padded(word);
    CHECK(parse_number({padded.data(), word.size()}, found) == good);
    if (!good) return;
    CHECK(std::isnan(expected) == std::isnan(found));
    if (!std::isnan(expected)) CHECK(std::memcmp(&expected, &found, sizeof found) == 0);
}

// After a number with so many decimals: what is read is the same, and only what strtod reads as well is read.
void check_after(const std::string& word, std::size_t decimals) {
#if defined(POOLWISE_WINDOWS)
    const std::string seven = decimals == 0 ? "7" : "7." + std::string(decimals, '3');
    const std::string before = "1 0 d 1 ", first = before + seven + " tag and more";
    const std::string line = before + word + " tag and more";
    LikeNumbers numbers;
    double expected = 0, found = 0;
    CHECK(numbers.read({first.data() + before.size(), seven.size()}, found));
    if (word.empty() || !numbers.read({line.data() + before.size(), word.size()}, found)) return;
    CHECK(slow::number(word, expected) && std::memcmp(&expected, &found, sizeof found) == 0);
#else
    (void)word, (void)decimals;
#endif
}

void check_integer(const std::string& word) {
    std::int32_t expected = 0, found = 0;
    const Integer status = slow::integer(word, expected);
    const std::string padded = Names::padded(word);
    CHECK(parse_integer({padded.data(), word.size()}, found) == status);
    if (status == Integer::good) CHECK(expected == found);
}

// Each byte adds a digit, a sign, a point, an exponent, a word, or a long row of one digit.
std::string assembled(const std::string& recipe) {
    static const char* const parts[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "4",
                                        "5",
                                        "6",
                                        "7",
                                        "8",
                                        "9",
                                        "9007199254740993",
                                        ".",
                                        "e",
                                        "E",
                                        "-",
                                        "+",
                                        "e-",
                                        "e+",
                                        "inf",
                                        "nan",
                                        "18446744073709551616",
                                        "2147483647",
                                        "1e308",
                                        "e-324",
                                        "5e-324",
                                        "infinity",
                                        "_",
                                        "0x",
                                        "e-400",
                                        "e400"};
    std::string word;
    for (std::size_t i = 0; i < recipe.size() && word.size() < 4000; ++i) {
        const auto byte = static_cast<unsigned char>(recipe[i]);
        if (byte < 30)
            word += parts[byte];
        else if (byte < 58 && byte >= 48)
            word += static_cast<char>(byte);
        else if (byte >= 246)
            word += std::string(byte == 255 ? 900 : 310, static_cast<char>('0' + (byte - 246)));
        else if (byte >= 128)
            word += std::string(byte - 127, '0');
        else
            word += parts[10 + byte % 20];
    }
    return word;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string raw = text.substr(0, text.find('\0'));
    for (const std::string& word : {raw, assembled(text)}) {
        check_number(word);
        for (std::size_t decimals = 0; decimals < 10; ++decimals) check_after(word, decimals);
        check_integer(word);
    }
    return 0;
}
