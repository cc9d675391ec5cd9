// Numbers of text: whole ones, decimal ones as strtod reads them.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "text.hpp"

namespace poolwise {

// Takes a plus sign off the front, which from_chars does not know; false if nothing or another sign follows.
inline bool drop_plus(std::string_view& word) {
    if (word.empty() || word[0] != '+') return !word.empty();
    word.remove_prefix(1);
    return !word.empty() && word[0] != '+' && word[0] != '-';
}

// A whole number that fills `word` and fits 32 bits; the two lowest values are reserved by the core.
enum class Integer { good, malformed, out_of_range };

inline Integer parse_integer(std::string_view word, std::int32_t& value) {
    if (!drop_plus(word)) return Integer::malformed;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end != word.data() + word.size() || status == std::errc::invalid_argument) return Integer::malformed;
    if (status == std::errc::result_out_of_range) return Integer::out_of_range;
    return value < std::numeric_limits<std::int32_t>::min() + 2 ? Integer::out_of_range : Integer::good;
}

inline bool parse_special(std::string_view word, double& value) {
    const bool negative = word[0] == '-';
    if (negative || word[0] == '+') word.remove_prefix(1);
    const auto is = [&](std::string_view name) {
        if (word.size() != name.size()) return false;
        for (std::size_t i = 0; i < name.size(); ++i)
            if ((word[i] | 0x20) != name[i]) return false;
        return true;
    };
    if (is("nan")) {
        value = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    if (!is("inf") && !is("infinity")) return false;
    value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
}

// Whether a number that a double cannot hold is too large, not too small: the position of its first digit above 0
// (1 for the last position before the point) and its exponent say so.
inline bool is_huge(std::string_view number) {
    constexpr std::int64_t bound = 1LL << 40;  // beyond the positions any line has room for
    const std::size_t e = std::min(number.find_first_of("eE"), number.size());
    const std::string_view digits = number.substr(0, e);
    const std::size_t first = digits.find_first_not_of("-0.");
    if (first == digits.npos) return false;
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::int64_t digits_before =
        static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + (first > point);
    std::int64_t exponent = 0;
    const bool down = e + 1 < number.size() && number[e + 1] == '-';
    for (std::size_t i = e + 1; i < number.size() && exponent < bound; ++i)
        if (number[i] >= '0') exponent = exponent * 10 + (number[i] - '0');
    return digits_before + (down ? -exponent : exponent) > 0;
}

inline bool parse_number_slowly(std::string_view word, double& value) {
    const std::string_view whole = word;
    if (!drop_plus(word)) return false;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status == std::errc::invalid_argument || end != word.data() + word.size()) return parse_special(whole, value);
    if (status == std::errc::result_out_of_range) {
        // As strtod: too large becomes infinite, too small becomes zero.
        value = is_huge(word) ? std::numeric_limits<double>::infinity() : 0.0;
        if (word[0] == '-') value = -value;
    }
    return true;
}

// Reads digits, eight at a time, adding them to `value`; returns where they end. More than 19 overflow.
inline const char* read_digits(const char* at, std::uint64_t& value) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (;;) {
        std::uint64_t word = load64(at) ^ 0x3030303030303030ULL;  // digits become 0 to 9
        const std::uint64_t others = ((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL;
        const int count = others == 0 ? 8 : __builtin_ctzll(others) >> 3;
        if (count == 0) return at;
        word <<= 64 - 8 * count;
        word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFULL;
        word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFULL;
        word = (word * 10000 + (word >> 32)) & 0x00000000FFFFFFFFULL;
        value = value * powers[count] + word;
        at += count;
        if (count < 8) return at;
    }
#else
    for (unsigned digit; (digit = static_cast<unsigned char>(*at) - '0') < 10; ++at) value = value * 10 + digit;
    return at;
#endif
}

// Reads a plain decimal number of up to 19 digits, which is exact in one division by a power of ten (Clinger 1990,
// fast path). Returns where it ends, or nothing when the number is of another kind or none.
inline const char* plain_number(const char* at, double& value) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                        1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const bool negative = *at == '-';
    at += negative;
    std::uint64_t digits = 0;
    const char* const first = at;
    at = read_digits(at, digits);
    std::ptrdiff_t count = at - first, decimals = 0;
    if (*at == '.') {
        const char* const point = ++at;
        at = read_digits(at, digits);
        decimals = at - point;
        count += decimals;
    }
    if (count == 0 || count > 19 || digits > (1ULL << 53) || static_cast<unsigned char>(*at) > ' ') return nullptr;
    value = static_cast<double>(digits) / powers[decimals];
    if (negative) value = -value;
    return at;
}

// A 64-bit float that fills `word`.
inline bool parse_number(std::string_view word, double& value) {
    return plain_number(word.data(), value) == word.data() + word.size() || parse_number_slowly(word, value);
}

#if defined(POOLWISE_WINDOWS)
// Numbers one after the other, most of which have as many decimals as the one before: the position of the point is
// known then before the number is looked at.
class LikeNumbers {
   public:
    // Reads a plain decimal number; false if it is of another kind or none. What is 7 bytes before it may be read.
    bool read(std::string_view word, double& value) {
        const bool negative = word[0] == '-';
        if (!read_alike(word.data() + word.size(), word.size() - negative, value)) return read_other(word, value);
        if (negative) value = -value;
        return true;
    }

   private:
    // As many decimals as before, 8 digits at most.
    bool read_alike(const char* end, std::size_t size, double& value) const {
        if (size - shortest_ > longest_ - shortest_ || ((*(end - shortest_) ^ '.') & point_) != 0) return false;
        // The last digit is the highest byte; those before the point are moved up to it. Digits become 0 to 9.
        std::uint64_t word = ((load64(end - 8) & after_) | (load64(end - 9) & ~after_)) ^ 0x3030303030303030ULL;
        word = word >> (8 * (longest_ - size)) << (8 * (longest_ - size));
        if ((((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL) != 0) return false;
        word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFULL;
        word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFULL;
        word = (word * 10000 + (word >> 32)) & 0x00000000FFFFFFFFULL;
        value = static_cast<double>(static_cast<std::int64_t>(word)) / power_;
        return true;
    }

    bool read_other(std::string_view word, double& value) {
        if (plain_number(word.data(), value) != word.data() + word.size()) return false;
        const std::size_t point = word.find('.');
        const std::size_t decimals = point == word.npos ? 0 : word.size() - 1 - point;
        if (decimals < 8 && point + 1 != word.size()) expect(decimals);
        return true;
    }

    void expect(std::size_t decimals) {
        shortest_ = decimals + 1;
        longest_ = decimals == 0 ? 8 : 9;
        point_ = decimals == 0 ? 0 : 0xFF;
        after_ = decimals == 0 ? ~0ULL : ~0ULL << (64 - 8 * decimals);
        power_ = 1;
        for (std::size_t i = 0; i < decimals; ++i) power_ *= 10;
    }

    std::size_t shortest_ = 1, longest_ = 8;  // such numbers, without a sign
    int point_ = 0;                           // bits that tell whether there is one
    std::uint64_t after_ = ~0ULL;             // bytes behind it, in a word that ends with the number
    double power_ = 1;
};

#endif

}  // namespace poolwise
