// Means over how many uncertain documents are relevant, their number being Poisson's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace poolwise {

// The chances of all numbers that are not out of the question, from the most likely one on both ways.
class Poisson {
   public:
    void look(double mean) {
        const auto middle = static_cast<std::int64_t>(mean);
        chances_.assign(1, 1.0);
        double total = 1.0;
        for (std::int64_t n = middle; n > 0 && chances_.back() > nothing; --n) add(chances_.back() * n / mean, total);
        std::reverse(chances_.begin(), chances_.end());
        first_ = middle + 1 - static_cast<std::int64_t>(chances_.size());
        for (std::int64_t n = middle + 1; chances_.back() > nothing && mean > 0.0; ++n)
            add(chances_.back() * mean / n, total);
        for (double& chance : chances_) chance /= total;
    }

    // The mean of a function of the number. Second differences of such means are small, so no bit is lost in the sum
    // (Kahan 1965).
    template <class Value>
    double mean(Value value) const {
        double sum = 0.0, lost = 0.0;
        for (std::size_t i = 0; i < chances_.size(); ++i) {
            const double term = chances_[i] * value(first_ + static_cast<std::int64_t>(i)) - lost;
            const double more = sum + term;
            lost = (more - sum) - term;
            sum = more;
        }
        return sum;
    }

   private:
    static constexpr double nothing = 1e-20;  // against the most likely number

    void add(double chance, double& total) {
        chances_.push_back(chance);
        total += chance;
    }

    std::vector<double> chances_;
    std::int64_t first_ = 0;
};

// The mean of 1 / (known + N); 0 where `known` is below 1.
inline double mean_reciprocal(const Poisson& number, std::int64_t known) {
    if (known < 1) return 0.0;
    return number.mean([&](std::int64_t n) { return 1.0 / static_cast<double>(known + n); });
}

// What the best 0, 1, 2, ... documents are worth together; beyond its end the table goes on as its last step does.
class Worths {
   public:
    Worths(const double* table, std::size_t size) : table_(table), last_(static_cast<std::int64_t>(size) - 1) {}

    double of(std::int64_t number) const {
        if (number <= last_) return table_[number];
        return table_[last_] + static_cast<double>(number - last_) * (table_[last_] - table_[last_ - 1]);
    }

    // The mean with `certain` documents and N more; half of `squares` times the second difference is taken off, since
    // Poisson's law counts documents twice.
    double mean(const Poisson& number, std::int64_t certain, double squares) const {
        return number.mean([&](std::int64_t n) {
            const std::int64_t all = std::max<std::int64_t>(certain + n, 0);
            return of(all) - 0.5 * squares * (of(all + 2) - 2.0 * of(all + 1) + of(all));
        });
    }

   private:
    const double* const table_;
    const std::int64_t last_;
};

}  // namespace poolwise
