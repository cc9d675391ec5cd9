// The preference measures: a relevant document loses by those above it that are not.
#pragma once

#include <limits>

#include "kernel.hpp"

namespace poolwise {

// A relevant document loses `lost(n, rank, ...)` for the n judged non-relevant documents above it.
template <class Loss>
struct Preference final : Kernel {
    using Kernel::Kernel;
    double score(const Ranking& ranking) const override {
        std::uint32_t retrieved = 0;
        if (Loss::counts_retrieved)
            for (std::uint32_t i = 0; i < ranking.count; ++i) retrieved += relevant(ranking, i);
        double sum = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i) {
            if (!relevant(ranking, i)) continue;
            const std::uint32_t before = ranking.before[i], n = before - found++;
            if (Loss::skips_first && before == 0) continue;
            sum += n == 0 ? 1.0 : 1.0 - Loss::lost(n, before, relevant_, nonrelevant_, ranking.judged - retrieved);
        }
        return share(sum, relevant_);
    }
};

// Arguments of `lost`: n, condensed rank - 1, R, N, retrieved judged non-relevant documents.
struct LossBase {
    static constexpr bool counts_retrieved = false;
    static constexpr bool skips_first = false;
};

// Losses of the form min(n, cap) / divisor.
template <class Loss>
struct CappedLoss : LossBase {
    static double lost(double n, double, double R, double N, double retrieved) {
        return std::min(n, Loss::cap(R)) / Loss::divisor(R, N, retrieved);
    }
    static double cap(double R) { return R; }
};

struct BprefLoss : CappedLoss<BprefLoss> {
    static double divisor(double R, double N, double) { return std::min(R, N); }
};
struct BprefRLoss : CappedLoss<BprefRLoss> {
    static double divisor(double R, double, double) { return R; }
};
struct BprefNLoss : CappedLoss<BprefNLoss> {
    static double cap(double) { return std::numeric_limits<double>::infinity(); }
    static double divisor(double, double N, double) { return N; }
};
struct BprefOldLoss : CappedLoss<BprefOldLoss> {
    static constexpr bool counts_retrieved = true;
    static double divisor(double R, double, double retrieved) { return std::min(R, retrieved); }
};
struct Bpref10Loss : CappedLoss<Bpref10Loss> {
    static double cap(double R) { return R + 10; }
    static double divisor(double R, double, double) { return R + 10; }
};
struct BprefRelativeLoss : LossBase {
    static constexpr bool skips_first = true;
    static double lost(double n, double before, double, double, double) { return n / before; }
};

// The graded ones. numbers: for rpref_N the gain of the highest label.
template <class Divisor>
class GradedPreference final : public Kernel {
   public:
    static constexpr Takes takes{Gains::positive, {Divisor::number}};

    explicit GradedPreference(const Spec& spec) : Kernel(spec), above_(spec.gain.size()) {}

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        total_ = 0.0;
        for (std::size_t c = 0; c < counts.judged.size(); ++c) total_ += counts.judged[c] * spec_.gain[c];
        spread_ = relevant_ + nonrelevant_;
        if (!spec_.numbers.empty()) spread_ -= total_ / spec_.numbers[0];
    }

    std::vector<char> looks_at() const override { return all_classes(); }

    double score(const Ranking& ranking) const override {
        std::fill(above_.begin(), above_.end(), 0u);
        double sum = 0.0;
        for (std::uint32_t i = 0; i < ranking.count; ++i) {
            const double gain = spec_.gain[ranking.label[i]];
            if (gain > 0 && !(Divisor::skips_first && i == 0)) {
                double penalty = 0.0;
                for (std::size_t c = 0; c < above_.size(); ++c)
                    if (above_[c] > 0 && spec_.gain[c] < gain) penalty += above_[c] * ((gain - spec_.gain[c]) / gain);
                sum += penalty > 0 ? gain * (1.0 - penalty / Divisor::of(i + 1.0, spread_)) : gain;
            }
            ++above_[ranking.label[i]];
        }
        return share(sum, total_);
    }

   private:
    mutable std::vector<std::uint32_t> above_;  // judged documents above, by class
    double total_ = 0.0;
    double spread_ = 0.0;  // R + N - cgI(R) / gain(H), [S07] eq. 16
};

struct DivideByN {
    static constexpr Number number = Number::highest_gain;
    static constexpr bool skips_first = false;
    static double of(double, double spread) { return spread; }
};
struct DivideByRankBefore {
    static constexpr Number number = Number::none;
    static constexpr bool skips_first = true;
    static double of(double rank, double) { return rank - 1; }
};
struct DivideByRank {
    static constexpr Number number = Number::none;
    static constexpr bool skips_first = false;
    static double of(double rank, double) { return rank; }
};

// Every preference measure by its name.
inline constexpr std::array preference_kernels{
    entry<Preference<BprefLoss>>("bpref"),
    entry<Preference<BprefRLoss>>("bpref_R"),
    entry<Preference<BprefNLoss>>("bpref_N"),
    entry<Preference<BprefOldLoss>>("bpref_old"),
    entry<Preference<Bpref10Loss>>("bpref10"),
    entry<Preference<BprefRelativeLoss>>("bpref_relative"),
    entry<GradedPreference<DivideByN>>("rpref_N"),
    entry<GradedPreference<DivideByRankBefore>>("rpref_relative"),
    entry<GradedPreference<DivideByRank>>("rpref_relative2"),
};

}  // namespace poolwise
