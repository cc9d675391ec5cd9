// Means over how many uncertain documents are relevant, their number being Poisson's: of any function, and of the
// ideal.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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
    static constexpr double nothing = 1e-20;  // against the most likely number; a double has 16 digits

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

// Documents of class g or more: of `certain` the labels are known, `loose` others are expected; `squares` is the sum of
// the squared probabilities of these.
struct UncertainCount {
    std::int64_t certain = 0;
    double loose = 0.0, squares = 0.0;

    void add(double chance, bool known) {
        if (known) {
            certain += chance > 0.5;
        } else {
            loose += chance;
            squares += chance * chance;
        }
    }
};

// A class of labels; a document of it is of class 1 or more, ..., class or more.
struct Class {
    std::size_t number;
    int of(std::size_t g) const { return g < number; }  // g counts from 0 here
};

// The number of uncertain documents is Poisson's. Since D is concave, the ideal of the mean number would be too large.
// Poisson's law lets a document be counted twice; that is taken back to second order. Where there may be no document
// worth anything, the mean is over the cases in which there is one: the score is 0 in the others.
class MeanIdeal {
   public:
    // Without worths the divisor is 1.
    MeanIdeal(const Worths* worths, const std::vector<UncertainCount>& counts, const std::vector<double>& steps)
        : has_(worths != nullptr), counts_(counts), steps_(steps), table_(has_ ? counts.size() * size : 0) {
        Poisson number;
        for (std::size_t g = 0; has_ && g < counts.size(); ++g) {
            number.look(counts[g].loose);
            for (int more = fewest; more <= most; ++more)
                table_[g * size + more - fewest] = worths->mean(number, counts[g].certain + more, counts[g].squares);
        }
    }

    std::int64_t certain(std::size_t g) const { return counts_[g].certain; }

    // Whether second derivatives are worth a look.
    bool bends() const { return has_ && divisor(Class{0}) < infinite; }

    // With one certain document of a class more.
    double divisor(Class more) const { return exchanged(0, more.number); }

    // With a judged document of class b in place of class a.
    double exchanged(std::size_t a, std::size_t b) const {
        if (!has_) return 1.0;
        double ideal = 0.0;
        for (std::size_t g = 0; g < steps_.size(); ++g) ideal += steps_[g] * worth(g, Class{b}.of(g) - Class{a}.of(g));
        return divided(ideal, Class{b}.of(0) - Class{a}.of(0), counts_[0].loose, counts_[0].squares);
    }

    // With a certain document of a class in place of an uncertain one that is of class g or more with these chances.
    double without(const double* chances, std::size_t number) const {
        if (!has_) return 1.0;
        double ideal = 0.0;
        for (std::size_t g = 0; g < steps_.size(); ++g) {
            const int more = Class{number}.of(g);
            const double none = worth(g, more), one_more = worth(g, more + 1), two_more = worth(g, more + 2);
            ideal += steps_[g] * (none - chances[g] * (one_more - none) +
                                  chances[g] * chances[g] * (two_more - 2.0 * one_more + none));
        }
        const double loose = counts_[0].loose - chances[0], squares = counts_[0].squares - chances[0] * chances[0];
        return divided(ideal, Class{number}.of(0), std::max(loose, 0.0), std::max(squares, 0.0));
    }

    // The change of I by one more document of class g or more, and the change of that.
    double growth(std::size_t g) const { return has_ ? (worth(g, 1) - worth(g, 0)) * steps_[g] : 0.0; }
    double curvature(std::size_t g) const {
        return has_ ? (worth(g, 2) - 2.0 * worth(g, 1) + worth(g, 0)) * steps_[g] : 0.0;
    }

    // The derivative of the divisor by `loose`. Where nothing is certain the divisor is I / s, s being the chance that
    // there is any document worth something; loose_1 then moves s too, and I / s loses I (1 - s) / s^2.
    double slope(std::size_t g) const {
        if (!has_ || counts_[0].certain > 0) return growth(g);
        const double some = any(counts_[0].loose, counts_[0].squares);
        double ideal = 0.0;
        for (std::size_t h = 0; h < steps_.size() && g == 0; ++h) ideal += steps_[h] * worth(h, 0);
        return growth(g) / some - ideal * (1.0 - some) / (some * some);
    }

   private:
    static constexpr int fewest = -1, most = 3;  // documents more or less that differences of second order ask for
    static constexpr std::size_t size = most - fewest + 1;
    static constexpr double infinite = std::numeric_limits<double>::infinity();

    double worth(std::size_t g, int more) const { return table_[g * size + more - fewest]; }

    double divided(double ideal, int more, double loose, double squares) const {
        const double some = counts_[0].certain + more > 0 ? 1.0 : any(loose, squares);
        return ideal > 0.0 ? ideal / some : infinite;
    }

    // The chance that there is any document, none being certain: 1 - exp(-loose), less those that count twice.
    static double any(double loose, double squares) {
        return 1.0 - std::exp(-std::max(loose, 1e-9)) * std::max(1.0 - 0.5 * squares, 0.0);
    }

    const bool has_;
    const std::vector<UncertainCount> counts_;
    const std::vector<double> steps_;
    std::vector<double> table_;
};

}  // namespace poolwise
