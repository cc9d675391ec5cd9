// Quantiles of Student's t and of the gamma distribution. Intervals need two or three of them per run, and loading a
// library for that takes longer than all else that is done with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace poolwise {

namespace quantiles {

constexpr double pi = 3.14159265358979323846;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// The root of a rising function by Newton's method. Steps that leave what is known to hold the root halve it instead.
template <class Excess, class Slope>
double root_of(Excess excess, Slope slope, double x, double low, double high) {
    for (int round = 0; round < 200; ++round) {
        const double above = excess(x);
        (above > 0.0 ? high : low) = x;
        double next = x - above / slope(x);
        if (!(next > low && next < high)) next = std::isinf(high) ? 2.0 * x : 0.5 * (low + high);
        if (std::fabs(next - x) <= 2e-15 * std::fabs(next)) return next;
        x = next;
    }
    return x;
}

// A continued fraction by Lentz's method: 1 / (1 + a_1 / (1 + a_2 / ...)).
template <class Term>
double fraction(Term term) {
    double c = 1.0, d = 0.0, value = 1.0;
    for (int m = 1; m < 100000; ++m) {
        const double a = term(m);
        d = 1.0 / (1.0 + a * d);
        c = 1.0 + a / c;
        value *= c * d;
        if (std::fabs(c * d - 1.0) < 1e-16) break;
    }
    return 1.0 / value;
}

// The regularised incomplete beta function for x below (p + 1) / (p + q + 2), where the fraction converges fast.
inline double beta_fraction(double p, double q, double x) {
    const double front =
        std::exp(std::lgamma(p + q) - std::lgamma(p) - std::lgamma(q) + p * std::log(x) + q * std::log1p(-x)) / p;
    return front * fraction([=](int m) {
               const double k = std::floor(0.5 * m);
               return m % 2 == 0 ? k * (q - k) * x / ((p + 2.0 * k - 1.0) * (p + 2.0 * k))
                                 : -(p + k) * (p + q + k) * x / ((p + 2.0 * k) * (p + 2.0 * k + 1.0));
           });
}

// The chance that |t| is larger; then the density.
inline double student_tails(double df, double t) {
    const double square = t * t, x = df / (df + square), other = square / (df + square);
    return x < (0.5 * df + 1.0) / (0.5 * df + 2.5) ? beta_fraction(0.5 * df, 0.5, x)
                                                   : 1.0 - beta_fraction(0.5, 0.5 * df, other);
}
inline double student_density(double df, double t) {
    return std::exp(std::lgamma(0.5 * (df + 1.0)) - std::lgamma(0.5 * df) - 0.5 * (df + 1.0) * std::log1p(t * t / df)) /
           std::sqrt(df * pi);
}

}  // namespace quantiles

// Of the standard normal distribution; `chance` is above 0 and below 1.
inline double normal_quantile(double chance) {
    const double tail = std::min(chance, 1.0 - chance), t = std::sqrt(-2.0 * std::log(tail));
    // Abramowitz and Stegun (1964), 26.2.23, off by 4.5e-4 at most; two of Halley's steps make that the last digit
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int round = 0; round < 3; ++round) {
        const double above = 0.5 * std::erfc(z / std::sqrt(2.0)) - tail;
        const double step = above * std::sqrt(2.0 * quantiles::pi) * std::exp(0.5 * z * z);
        z += step / (1.0 - 0.5 * z * step);
    }
    return chance < 0.5 ? -z : z;
}

// Of Student's t; `chance` is above 0 and below 1.
inline double student_quantile(double df, double chance) {
    if (!(df > 0.0)) return quantiles::nothing;
    if (chance == 0.5) return 0.0;
    const double z = std::fabs(normal_quantile(chance)), y = z * z, sign = chance < 0.5 ? -1.0 : 1.0;
    // Abramowitz and Stegun (1964), 26.7.5
    const double g1 = z * (y + 1.0) / 4.0, g2 = z * (3.0 + y * (16.0 + y * 5.0)) / 96.0;
    const double g3 = z * (-15.0 + y * (17.0 + y * (19.0 + y * 3.0))) / 384.0;
    const double g4 = z * (-945.0 + y * (-1920.0 + y * (1482.0 + y * (776.0 + y * 79.0)))) / 92160.0;
    const double near = z + (g1 + (g2 + (g3 + g4 / df) / df) / df) / df;
    if (df > 3000.0) return sign * near;
    const double tails = 2.0 * std::min(chance, 1.0 - chance);
    return sign * quantiles::root_of([=](double t) { return tails - quantiles::student_tails(df, t); },
                                     [=](double t) { return 2.0 * quantiles::student_density(df, t); },
                                     std::max(near, 1e-3), 0.0, std::numeric_limits<double>::infinity());
}

}  // namespace poolwise
