// What a rank is worth: every discount by its name.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace poolwise {

struct DiscountEntry {
    const char* name;
    bool chosen_by_name;  // else a measure's declaration asks for it
    std::size_t numbers;  // how many it takes at least
    double (*at)(double rank, const std::vector<double>& numbers);
};

inline constexpr std::array discount_table{
    DiscountEntry{"log2", true, 0, [](double rank, const std::vector<double>&) { return 1.0 / std::log2(rank + 1.0); }},
    DiscountEntry{"jk", true, 1,  // numbers: the base
                  [](double rank, const std::vector<double>& numbers) {
                      return rank <= numbers[0] ? 1.0 : std::log(numbers[0]) / std::log(rank);
                  }},
    DiscountEntry{"zipf", true, 0, [](double rank, const std::vector<double>&) { return 1.0 / rank; }},
    DiscountEntry{"linear", true, 1,  // numbers: the cut-off
                  [](double rank, const std::vector<double>& numbers) {
                      return std::max(0.0, (numbers[0] + 1.0 - rank) / numbers[0]);
                  }},
    DiscountEntry{"uniform", true, 0, [](double, const std::vector<double>&) { return 1.0; }},
    DiscountEntry{"list", false, 0,  // numbers: one per rank, 0 beyond them
                  [](double rank, const std::vector<double>& numbers) {
                      return rank <= static_cast<double>(numbers.size()) ? numbers[static_cast<std::size_t>(rank) - 1]
                                                                         : 0.0;
                  }},
    DiscountEntry{"geometric", false, 1,  // numbers: the probability to go on to the next rank
                  [](double rank, const std::vector<double>& numbers) {
                      return (1.0 - numbers[0]) * std::pow(numbers[0], rank - 1.0);
                  }},
    DiscountEntry{
        "overlap", false, 1,  // numbers: the same
        [](double rank, const std::vector<double>& numbers) { return std::pow(numbers[0], rank - 1.0) / rank; }},
};

// Discounts of ranks 1 to `depth`; with a cut-off, 0 beyond it.
inline std::vector<double> discounts(const std::string& name, const std::vector<double>& numbers, std::size_t depth,
                                     std::size_t cutoff = 0) {
    for (const DiscountEntry& entry : discount_table) {
        if (name != entry.name) continue;
        if (numbers.size() < entry.numbers) throw std::invalid_argument("discount " + name + " lacks its number");
        std::vector<double> values(depth, 0.0);
        const std::size_t end = cutoff == 0 ? depth : std::min(depth, cutoff);
        for (std::size_t i = 0; i < end; ++i) values[i] = entry.at(static_cast<double>(i + 1), numbers);
        return values;
    }
    throw std::invalid_argument("no discount " + name);
}

}  // namespace poolwise
