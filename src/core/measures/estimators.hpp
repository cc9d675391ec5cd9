// Estimators: what complete judgments would give, inferred from a sample of the pool [Y08].
#pragma once

#include <limits>

#include "kernel.hpp"

namespace poolwise {

constexpr double smoothing = 1e-5;            // of shares of relevant documents, as in trec_eval
constexpr std::uint32_t script_depth = 1000;  // how far NIST's sample_eval.pl reads a ranking

// [Y08] section 2: precision expected at a relevant document from the sampled documents above it.
class infAP : public Kernel {
   public:
    using Kernel::Kernel;

    double score(const Ranking& ranking) const override {
        double sum = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i)
            if (relevant(ranking, i)) sum += precision(ranking, i, found++);
        return share(sum, relevant_);
    }

   protected:
    // Share of relevant documents among the judged ones above, of which there are `judged`.
    static double rate(std::uint32_t judged, std::uint32_t found) {
        return (found + smoothing) / (judged + 2 * smoothing);
    }

    static double precision(const Ranking& ranking, std::uint32_t i, std::uint32_t found) {
        const double k = ranking.rank[i];
        if (ranking.rank[i] == 1) return 1.0;
        return 1.0 / k + (k - 1) / k * (ranking.above[i] / (k - 1)) * rate(ranking.before[i], found);
    }
};

// Variance of infAP on one topic, [Y08] section 2 and appendix: which relevant documents were sampled, and which
// documents above them. numbers: 1 if precisions at different ranks are taken as dependent, else 0.
class infAPVariance final : public infAP {
   public:
    static constexpr Takes takes{Gains::none, {Number::flag}};
    using infAP::infAP;

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        sampled_ = counts.pool > 0 ? static_cast<double>(relevant_ + nonrelevant_) / counts.pool : 1.0;
    }

    double score(const Ranking& ranking) const override {
        if (relevant_ == 0) return 0.0;
        const double R = relevant_;
        return (1.0 - sampled_) * spread(ranking) / R + within_ranks(ranking) / (R * R);
    }

   private:
    // Sample variance of the precisions at all R relevant documents, 0 at those not retrieved.
    double spread(const Ranking& ranking) const {
        if (relevant_ == 1) return 0.0;
        const double mean = infAP::score(ranking);
        double sum = 0.0;
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i) {
            if (!relevant(ranking, i)) continue;
            const double difference = precision(ranking, i, found++) - mean;
            sum += difference * difference;
        }
        return (sum + (relevant_ - found) * mean * mean) / (relevant_ - 1);
    }

    // Sum of the variances v_k, and if dependent of the covariances 2 (k / m) v_k of ranks k < m.
    double within_ranks(const Ranking& ranking) const {
        const bool dependent = spec_.numbers[0] != 0;
        double sum = 0.0, weighted = 0.0;  // weighted: sum of k v_k above
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < ranking.count; ++i) {
            if (!relevant(ranking, i)) continue;
            const double k = ranking.rank[i], variance = variance_at(ranking, i, found++);
            sum += variance;
            if (dependent) sum += 2.0 * weighted / k;
            weighted += k * variance;
        }
        return sum;
    }

    // The hypergeometric variance of the precision above; the paper's page drops the factor pooled / (k - 1).
    static double variance_at(const Ranking& ranking, std::uint32_t i, std::uint32_t found) {
        const double k = ranking.rank[i], pooled = ranking.above[i];
        const std::uint32_t judged = ranking.before[i];
        if (ranking.above[i] <= 1 || ranking.above[i] == judged) return 0.0;
        const double q = rate(judged, found), n = std::max<std::uint32_t>(1, judged);
        return (pooled / k) * (pooled / k) * (q * (1 - q) / n) * (1 - (n - 1) / (pooled - 1));
    }

    double sampled_ = 1.0;  // share of the pool that is judged
};

// What a stratum's documents in the ranking so far say.
struct Seen {
    std::uint32_t documents = 0, judged = 0, relevant = 0;
};

// Estimators for stratified samples. numbers: 1 for the choices of NIST's sample_eval.pl, else 0.
class Stratified : public Kernel {
   public:
    static constexpr Takes takes{Gains::none, {Number::flag}};

    explicit Stratified(const Spec& spec) : Kernel(spec), as_script_(spec.numbers[0] != 0) {}

    bool needs_strata() const override { return true; }

    void prepare(const TopicCounts& counts) override {
        Kernel::prepare(counts);
        strata_ = counts.strata;
        relevant_of_.assign(strata_.size(), 0);
        const std::size_t classes = counts.judged.size();
        for (std::size_t s = 0; s < strata_.size(); ++s)
            for (std::size_t c = 0; c < classes; ++c)
                if (spec_.relevant[c]) relevant_of_[s] += counts.judged_of[s * classes + c];
    }

   protected:
    void see(std::vector<Seen>& seen, const PooledDocuments& documents, std::uint32_t i) const {
        Seen& stratum = seen[documents.stratum[i]];
        ++stratum.documents;
        if (documents.label[i] < 0) return;
        ++stratum.judged;
        stratum.relevant += spec_.relevant[documents.label[i]] != 0;
    }

    // How many of the documents seen are relevant. A stratum without a judged one has the smoothed rate, 1/2.
    double expected(const std::vector<Seen>& seen) const {
        const double both = as_script_ ? 3 * smoothing : 2 * smoothing;
        double sum = 0.0;
        for (const Seen& stratum : seen)
            if (stratum.documents > 0)
                sum += stratum.documents * ((stratum.relevant + smoothing) / (stratum.judged + both));
        return sum;
    }

    // Documents of the stratum that so many judged ones represent; 0 if none is judged. The product comes first, as in
    // the script: it is exact, so an exact half is one, and rounds up.
    double stands_for(double count, std::size_t s) const {
        return share(count * strata_[s].documents, strata_[s].judged);
    }

    const bool as_script_;
    std::vector<Stratum> strata_;
    std::vector<std::uint32_t> relevant_of_;  // by stratum
    mutable std::vector<Seen> seen_;
};

// [Y08] section 3.
class xinfAP final : public Stratified {
   public:
    using Stratified::Stratified;

    double score(const Ranking& ranking) const override {
        seen_.assign(strata_.size(), {});
        precisions_.assign(strata_.size(), 0.0);
        const std::uint32_t depth = as_script_ ? script_depth : std::numeric_limits<std::uint32_t>::max();
        for (std::uint32_t i = 0; i < ranking.pooled.count && ranking.pooled.rank[i] <= depth; ++i) {
            const std::int32_t label = ranking.pooled.label[i];
            if (label >= 0 && spec_.relevant[label]) {
                const double k = ranking.pooled.rank[i];
                precisions_[ranking.pooled.stratum[i]] += 1.0 / k + expected(seen_) / k;
            }
            see(seen_, ranking.pooled, i);
        }
        double sum = 0.0, total = 0.0;
        for (std::size_t s = 0; s < strata_.size(); ++s) {
            if (relevant_of_[s] == 0) continue;
            const double estimate = stands_for(relevant_of_[s], s);
            sum += estimate * (precisions_[s] / relevant_of_[s]);
            total += estimate;
        }
        return share(sum, total);
    }

   private:
    mutable std::vector<double> precisions_;  // sums by stratum
};

// [Y08] section 4. Negative gains count as 0.
class infNDCG final : public Stratified {
   public:
    static constexpr Takes takes{Gains::positive, {Number::flag}, false};

    explicit infNDCG(const Spec& spec) : Stratified(spec), order_(ideal_order()) {
        depth_ = std::min<std::size_t>(spec_.cutoff == 0 ? script_depth : spec_.cutoff, spec_.discount.size());
    }

    void prepare(const TopicCounts& counts) override {
        Stratified::prepare(counts);
        ideal_ = 0.0;
        double begin = 0.0;
        for (std::size_t i = 0, end = 0; i < order_.size() && begin < depth_; i = end) {
            const double gain = spec_.gain[order_[i]];
            while (end < order_.size() && spec_.gain[order_[end]] == gain) ++end;
            double number = estimated(counts, i, end);
            if (as_script_) number = std::floor(number + 0.5);
            ideal_ += gain * discounted(begin, begin + number);
            begin += number;
        }
    }

    double score(const Ranking& ranking) const override {
        seen_.assign(strata_.size(), {});
        gained_.assign(strata_.size(), 0.0);
        for (std::uint32_t i = 0; i < ranking.pooled.count && ranking.pooled.rank[i] <= depth_; ++i) {
            see(seen_, ranking.pooled, i);
            const std::int32_t label = ranking.pooled.label[i];
            if (label >= 0 && spec_.gain[label] > 0)
                gained_[ranking.pooled.stratum[i]] += spec_.gain[label] * spec_.discount[ranking.pooled.rank[i] - 1];
        }
        double sum = 0.0;
        for (std::size_t s = 0; s < strata_.size(); ++s)
            if (seen_[s].judged > 0) sum += static_cast<double>(seen_[s].documents) / seen_[s].judged * gained_[s];
        return share(sum, ideal_);
    }

   private:
    // How many documents of some classes in the ideal order the whole pool holds.
    double estimated(const TopicCounts& counts, std::size_t begin, std::size_t end) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < strata_.size(); ++s) {
            double judged = 0.0;
            for (std::size_t i = begin; i < end; ++i) judged += counts.judged_of[s * counts.judged.size() + order_[i]];
            sum += stands_for(judged, s);
        }
        return sum;
    }

    // Discounts of a stretch of the list; rank r is the piece from r - 1 to r.
    double discounted(double begin, double end) const {
        double sum = 0.0;
        end = std::min(end, static_cast<double>(depth_));
        for (std::size_t i = static_cast<std::size_t>(begin); i < end; ++i)
            sum += (std::min(end, i + 1.0) - std::max(begin, static_cast<double>(i))) * spec_.discount[i];
        return sum;
    }

    std::vector<std::uint32_t> order_;
    std::size_t depth_;
    double ideal_ = 0.0;
    mutable std::vector<double> gained_;  // sums by stratum
};

// Average precision by Horvitz and Thompson: the sum of precisions is one over documents and pairs of documents, each
// of which represents 1 / (its chance to be judged) of its kind. After Aslam, Pavlu and Yilmaz 2006, for strata that
// are sampled without replacement; both the sum and the number of relevant documents are unbiased. numbers: that of
// Stratified, unused; the rate at which each stratum was sampled, by its number, or nothing: judged / pooled.
class statAP : public Stratified {
   public:
    static constexpr Takes takes{Gains::none, {Number::flag}, false};  // a ratio of estimates may pass 1
    using Stratified::Stratified;

    void prepare(const TopicCounts& counts) override {
        Stratified::prepare(counts);
        if (spec_.numbers.size() == 1) return;
        for (Stratum& stratum : strata_) {
            const double rate = spec_.numbers.at(1 + static_cast<std::size_t>(stratum.number));
            stratum.documents = stratum.judged / rate;
        }
    }

    double score(const Ranking& ranking) const override {
        find(ranking);
        double sum = 0.0;
        seen_.assign(strata_.size(), {});
        for (const Found& document : found_) {
            sum += weight(document.stratum) * (1.0 + others(document.stratum)) / document.rank;
            ++seen_[document.stratum].relevant;
        }
        return share(sum, total());
    }

   protected:
    struct Found {
        std::uint32_t rank, stratum;
    };

    // The judged relevant documents of the ranking, from the top.
    void find(const Ranking& ranking) const {
        found_.clear();
        for (std::uint32_t i = 0; i < ranking.pooled.count; ++i) {
            const std::int32_t label = ranking.pooled.label[i];
            if (label >= 0 && spec_.relevant[label])
                found_.push_back({ranking.pooled.rank[i], static_cast<std::uint32_t>(ranking.pooled.stratum[i])});
        }
    }

    // What a judged document of the stratum represents; and another one of it, given that one is judged.
    double weight(std::size_t s) const { return share(strata_[s].documents, strata_[s].judged); }
    double second_weight(std::size_t s) const {
        return strata_[s].judged > 1 ? (strata_[s].documents - 1.0) / (strata_[s].judged - 1.0) : 0.0;
    }
    double weight_beside(std::size_t s, std::size_t other) const { return s == other ? second_weight(s) : weight(s); }

    // Relevant documents that those seen above represent, given that one of a stratum is judged.
    double others(std::size_t stratum) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < strata_.size(); ++s) sum += weight_beside(s, stratum) * seen_[s].relevant;
        return sum;
    }

    // Relevant documents of the whole pool.
    double total() const {
        double sum = 0.0;
        for (std::size_t s = 0; s < strata_.size(); ++s) sum += stands_for(relevant_of_[s], s);
        return sum;
    }

    mutable std::vector<Found> found_;
};

// Variance of statAP on one topic: that of the Horvitz-Thompson sum of its linear form, in which a relevant document
// counts with what the score would change by its weight. A stratum with one judged document is spread about 0.
class statAPVariance final : public statAP {
   public:
    using statAP::statAP;

    double score(const Ranking& ranking) const override {
        const double average = statAP::score(ranking), relevant = total();
        if (relevant == 0.0) return 0.0;
        moments_.assign(strata_.size(), {});
        sum_changes(average);
        double variance = 0.0;
        for (std::size_t s = 0; s < strata_.size(); ++s) {
            const double N = strata_[s].documents, n = strata_[s].judged;
            if (n == 0.0 || n == N) continue;
            const double unseen = relevant_of_[s] - moments_[s].count;  // relevant, not retrieved
            const double sum = moments_[s].sum - unseen * average;
            const double squares = moments_[s].squares + unseen * average * average;
            const double spread = n > 1.0 ? (squares - sum * sum / n) / (n - 1.0) : squares;
            variance += N * N * (1.0 - n / N) / n * spread;
        }
        return variance / (relevant * relevant);
    }

   private:
    struct Moments {
        double count = 0.0, sum = 0.0, squares = 0.0;
    };

    // By stratum, what each relevant document found changes the sum of precisions by, less the mean.
    void sum_changes(double average) const {
        changes_.assign(found_.size(), 0.0);
        seen_.assign(strata_.size(), {});
        for (std::size_t i = 0; i < found_.size(); ++i) {
            changes_[i] = (1.0 + others(found_[i].stratum)) / found_[i].rank;
            ++seen_[found_[i].stratum].relevant;
        }
        below_.assign(strata_.size(), 0.0);
        for (std::size_t i = found_.size(); i-- > 0;) {
            const std::size_t stratum = found_[i].stratum;
            for (std::size_t s = 0; s < strata_.size(); ++s) changes_[i] += weight_beside(s, stratum) * below_[s];
            below_[stratum] += 1.0 / found_[i].rank;
            const double change = changes_[i] - average;
            moments_[stratum].count += 1.0;
            moments_[stratum].sum += change;
            moments_[stratum].squares += change * change;
        }
    }

    mutable std::vector<double> changes_, below_;  // by document found; sums of 1 / rank below, by stratum
    mutable std::vector<Moments> moments_;         // by stratum
};

// Inferred precision.
class iP final : public Stratified {
   public:
    static constexpr Takes takes{Gains::none, {Number::flag}, true, true};
    using Stratified::Stratified;

    double score(const Ranking& ranking) const override {
        seen_.assign(strata_.size(), {});
        for (std::uint32_t i = 0; i < ranking.pooled.count && ranking.pooled.rank[i] <= spec_.cutoff; ++i)
            see(seen_, ranking.pooled, i);
        return expected(seen_) / spec_.cutoff;
    }
};

// Every estimator by its name.
inline constexpr std::array estimating_kernels{
    entry<infAP>("infAP"), entry<xinfAP>("xinfAP"), entry<infNDCG>("infNDCG"), entry<statAP>("statAP"), entry<iP>("iP"),
};

// Numbers about a measure's scores that are no measures themselves.
inline constexpr std::array companion_kernels{
    entry<infAPVariance>("infAP_variance"),
    entry<statAPVariance>("statAP_variance"),
};

}  // namespace poolwise
