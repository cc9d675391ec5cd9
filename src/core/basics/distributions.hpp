// Distributions that tests and intervals ask for: normal, Student's t, and the incomplete beta function behind them.
// Few values are needed at a time, and loading a library for that takes longer than all else that is done with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace poolwise {

namespace distributions {

constexpr double pi = 3.14159265358979323846;
constexpr double half_log_two_pi = 0.91893853320467274178;  // ln(2 pi) / 2
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// What Stirling's formula leaves of ln Gamma(z): the series DLMF 5.11.1, whose ninth term is below 1e-17 at 10.
inline double stirling_rest(double z) {
    if (z < 10.0) return std::lgamma(z) - ((z - 0.5) * std::log(z) - z + half_log_two_pi);
    const double y = 1.0 / (z * z);
    const double last = 1.0 / 156.0 - y * 3617.0 / 122400.0, first = 1.0 / 12.0 - y * (1.0 / 360.0 - y / 1260.0);
    return (first - y * y * y * (1.0 / 1680.0 - y * (1.0 / 1188.0 - y * (691.0 / 360360.0 - y * last)))) / z;
}

// ln(x (p + q) / p), which is near 0 where x is near p / (p + q); `lead` is x q - y p.
inline double log_share(double p, double q, double x, double lead) {
    return std::fabs(lead) < 0.5 * p ? std::log1p(lead / p) : std::log(x) + std::log1p(q / p);
}

// x^p y^q / B(p, q), y = 1 - x. By Stirling's formula large parts cancel before they are added, not after.
inline double beta_power(double p, double q, double x, double y) {
    const double lead = x * q - y * p;
    const double rest = stirling_rest(p + q) - stirling_rest(p) - stirling_rest(q) - half_log_two_pi;
    const double root = 0.5 * (std::log(std::min(p, q)) - std::log1p(std::min(p, q) / std::max(p, q)));
    return std::exp(p * log_share(p, q, x, lead) + q * log_share(q, p, y, -lead) + root + rest);
}

// The regularised incomplete beta function I_x(p, q) for x below (p + 1) / (p + q + 2), y = 1 - x: the even part (DLMF
// 1.12(iv)) of the continued fraction DLMF 8.17.22, each of its levels m multiplied by p + 2 m + 1. For large p and q =
// 1/2 that is the one of erfc, so that many degrees of freedom take no more terms than few. Lentz's method.
inline double beta_fraction(double p, double q, double x, double y) {
    double c = p * y - q * x + 1.0, d = 0.0, value = c;
    for (int m = 1; m < 100000; ++m) {
        const double k = m, twice = p + 2.0 * k, open = k * (k - q) * x;
        const double above =
            open * x * ((p + k - 1.0) / (twice - 2.0)) * ((p + q + k - 1.0) / twice) * ((twice + 1.0) / (twice - 1.0));
        const double level = p * y - q * x + 2.0 * k + 1.0 - 2.0 * open / (twice - 1.0);
        d = 1.0 / (level - above * d);
        c = level - above / c;
        value *= c * d;
        if (std::fabs(c * d - 1.0) < 4e-16) break;
    }
    return beta_power(p, q, x, y) * ((p + 1.0) / p) / value;
}

// I_x(p, q) for every x between 0 and 1, given y = 1 - x.
inline double beta_below(double p, double q, double x, double y) {
    return x < (p + 1.0) / (p + q + 2.0) ? beta_fraction(p, q, x, y) : 1.0 - beta_fraction(q, p, y, x);
}

// Where a logarithm rises to 0, by Newton's method from x; steps that leave the interval known to hold it halve that
// interval.
template <class Excess>
double place_of(Excess excess, double x) {
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    for (int round = 0; round < 100; ++round) {
        const auto [above, slope] = excess(x);
        (above > 0.0 ? high : low) = x;
        double next = x - above / slope;
        if (std::fabs(next - x) <= 1e-9) return next;  // the step after it would be the square of that
        if (!(next > low && next < high)) next = 0.5 * (std::max(low, x - 64.0) + std::min(high, x + 64.0));
        x = next;
    }
    return x;
}

}  // namespace distributions

// The chance that a standard normal number is below z.
inline double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// Of the standard normal distribution; `chance` is above 0 and below 1.
inline double normal_quantile(double chance) {
    const double tail = std::min(chance, 1.0 - chance), t = std::sqrt(-2.0 * std::log(tail));
    // Abramowitz and Stegun (1964), 26.2.23, off by 4.5e-4 at most; two of Halley's steps make that the last digit
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int round = 0; round < 3; ++round) {
        const double above = normal_below(-z) - tail;
        const double step = above * std::sqrt(2.0 * distributions::pi) * std::exp(0.5 * z * z);
        z += step / (1.0 - 0.5 * z * step);
    }
    return chance < 0.5 ? -z : z;
}

// I_x(p, q), the chance that a number with the beta distribution is below x.
inline double beta_below(double p, double q, double x) {
    if (!(p > 0.0 && q > 0.0)) return distributions::nothing;
    if (x <= 0.0 || x >= 1.0) return x <= 0.0 ? 0.0 : 1.0;
    return distributions::beta_below(p, q, x, 1.0 - x);
}

// Student's t with `df` degrees of freedom by the size of t: I_x(df / 2, 1 / 2) is the chance of a larger size, x being
// df / (df + t^2) (Abramowitz and Stegun 1964, 26.7.1).
struct Student {
    double p, x, y;

    Student(double df, double t) : p(0.5 * df), x(1.0 / (1.0 + t * t / df)), y(t * t / (df + t * t)) {}
    double tails() const { return distributions::beta_below(p, 0.5, x, y); }
    double middle() const { return distributions::beta_below(0.5, p, y, x); }
    // The density of ln |t|
    double steepness() const { return 2.0 * distributions::beta_power(p, 0.5, x, y); }
};

// The chance that Student's t is below this.
inline double student_below(double df, double t) {
    if (!(df > 0.0) || std::isnan(t)) return distributions::nothing;
    if (std::isinf(t)) return t < 0.0 ? 0.0 : 1.0;
    if (std::isinf(df)) return normal_below(t);
    const double tail = 0.5 * Student(df, t).tails();
    return t < 0.0 ? tail : 1.0 - tail;
}

// Of Student's t; at a chance of 0 or 1 it is infinite.
inline double student_quantile(double df, double chance) {
    if (!(df > 0.0)) return distributions::nothing;
    if (chance == 0.5) return 0.0;
    if (chance <= 0.0 || chance >= 1.0) return std::copysign(std::numeric_limits<double>::infinity(), chance - 0.5);
    if (std::isinf(df)) return normal_quantile(chance);
    // Abramowitz and Stegun (1964), 26.7.5, to begin with
    const double z = std::fabs(normal_quantile(chance)), square = z * z;
    const double near =
        df < 1.0 ? z : z + (z * (square + 1.0) / 4.0 + z * (3.0 + square * (16.0 + square * 5.0)) / 96.0 / df) / df;
    // The smaller of tails and middle is known to more digits; both are close to powers of t, so logarithms are taken.
    const double tails = 2.0 * std::min(chance, 1.0 - chance), middle = 2.0 * std::fabs(chance - 0.5);
    const auto excess = [=](double log_t) {
        const Student student(df, std::exp(log_t));
        const double found = tails < middle ? student.tails() : student.middle();
        const double above = tails < middle ? std::log(tails / found) : std::log(found / middle);
        return std::pair(above, student.steepness() / found);
    };
    const double size = std::exp(distributions::place_of(excess, std::log(near)));
    return chance < 0.5 ? -size : size;
}

}  // namespace poolwise
