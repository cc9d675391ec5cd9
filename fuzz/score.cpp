// Judgments and runs, divided by lines of `%`, read and scored by every kernel under random samples of the labels.
// Scores are finite, in range, and the same to the last bit for whole and piecewise reading, one and two threads,
// any order of runs and lines, and samples together or alone. Documents outside the pool move average precision both
// ways and no less at higher rates.
#include "check.hpp"
#include "estimates/front.hpp"
#include "measures/front.hpp"
#include "scores/front.hpp"

using namespace poolwise;

namespace {

struct Campaign {
    std::string judgments;
    std::vector<std::string> runs;
};

Campaign divided(const std::string& text) {
    std::vector<std::string> parts(1);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        if (text[begin] == '%' && parts.size() < 4)
            parts.emplace_back();
        else
            parts.back().append(text, begin, end - begin);
        begin = end;
    }
    return {parts[0], {parts.begin() + 1, parts.end()}};
}

struct Reading {
    bool keep_all, keep_first;
    std::uint32_t depth;
    std::size_t longest;  // of a piece; 0: the whole
    std::size_t threads;
};

Problem read_run(Pool& pool, std::size_t number, const std::string& text, const Reading& how,
                 const fuzz::Choices& choices) {
    Problem problem;
    for (const bool gather : {false, true}) {
        pool.runs[number] = Run{};
        RunReader reader(pool, pool.runs[number], how.keep_first, gather);
        Lines lines;
        problem = fuzz::feed(lines, reader, text, how.longest, choices);
        if (problem.fault != Fault::scattered) break;
    }
    return problem;
}

// Nothing when the input is faulty.
std::unique_ptr<Pool> read(const Campaign& campaign, const Reading& how, const fuzz::Choices& choices) {
    auto pool = std::make_unique<Pool>(how.keep_all);
    pool->depth = how.depth;
    Lines lines;
    LabelReader labels(*pool, LabelRules{true, -1, false, how.keep_first});
    if (fuzz::feed(lines, labels, campaign.judgments, how.longest, choices)) return nullptr;
    pool->finish_judgments();
    pool->runs.resize(campaign.runs.size());
    std::vector<Problem> problems(campaign.runs.size());
    for_each(campaign.runs.size(), how.threads, [&](Stopper&) {
        return [&](std::size_t i) { problems[i] = read_run(*pool, i, campaign.runs[i], how, choices); };
    });
    for (const Problem& problem : problems)
        if (problem) return nullptr;
    pool->finish_runs();
    return pool;
}

// ---- Measures with random parameters ---------------------------------------------------------------------------

// As the library's gains, except that it refuses exp beyond a label of 1000.
double gain_of(std::uint32_t kind, std::int32_t label, bool relevant) {
    if (kind == 0) return label;
    if (kind == 1) return relevant ? 1.0 : 0.0;
    return label >= 0 ? std::exp2(std::min(label, 1000)) - 1 : 1 - std::exp2(std::min(-label, 1000));
}

double random_gain(Gains takes, std::uint32_t kind, std::int32_t label, bool relevant) {
    const double gain = gain_of(kind, label, relevant);
    if (takes == Gains::any) return gain;
    if (takes == Gains::share) return 1 - std::exp2(-std::max(label, 0));
    return takes == Gains::of_relevant && !relevant ? 0.0 : std::max(gain, 0.0);
}

double random_number(Number takes, const Spec& spec, fuzz::Choices& choices) {
    if (takes == Number::choice) return choices.below(3);
    if (takes == Number::flag) return choices.below(2);
    if (takes == Number::weight) return choices.below(3) * 0.5;
    if (takes == Number::real) return choices.below(5) - 2.0;
    if (takes == Number::share) return choices.below(11) / 10.0;
    const auto highest = std::max_element(spec.gain.begin(), spec.gain.end());
    return highest != spec.gain.end() && *highest > 0 ? *highest : 1.0;
}

// What a kernel says it takes, at random.
Spec random_spec(const Entry& entry, const std::vector<std::int32_t>& labels, std::size_t depth,
                 fuzz::Choices& choices) {
    const Takes& takes = entry.takes;
    Spec spec;
    spec.kernel = entry.name;
    spec.condensed = choices.coin();
    spec.cutoff = !takes.cutoff && choices.coin() ? 0 : 1 + choices.below(choices.coin() ? 5 : 2000);
    const std::int32_t level = static_cast<std::int32_t>(choices.below(3));
    const std::uint32_t kind = choices.below(3);
    for (const std::int32_t label : labels) {
        spec.relevant.push_back(label >= level);
        spec.gain.push_back(random_gain(takes.gains, kind, label, label >= level));
    }
    // Scores between 0 and 1 need discounts that sum to no more.
    const char* const falling[] = {"log2", "zipf", "uniform"};
    depth = std::max(depth, takes.depth);
    spec.discount =
        takes.share ? discounts("geometric", {0.8}, depth) : discounts(falling[choices.below(3)], {}, depth);
    for (const Number number : takes.numbers)
        if (number != Number::none) spec.numbers.push_back(random_number(number, spec, choices));
    if (entry.make(spec)->needs_strata()) spec.condensed = false;
    return spec;
}

std::vector<Spec> random_specs(const Pool& pool, fuzz::Choices& choices) {
    std::vector<Spec> specs;
    for (const Entry& entry : kernel_table)
        specs.push_back(random_spec(entry, pool.distinct_labels, deepest_rank(pool), choices));
    return specs;
}

// ---- Scoring ---------------------------------------------------------------------------------------------------

// The judgments themselves, then samples of them: documents keep their label, are pooled only, or are outside.
std::vector<std::int32_t> random_samples(const Pool& pool, std::size_t samples, fuzz::Choices& choices) {
    const std::vector<std::int32_t> all = flat_labels(pool);
    std::vector<std::int32_t> labels = all;
    for (std::size_t sample = 1; sample < samples; ++sample)
        for (const std::int32_t label : all) {
            const std::uint32_t what = choices.below(4);
            labels.push_back(what == 0 ? outside : what == 1 ? pooled : label);
        }
    return labels;
}

std::vector<double> scores(const Pool& pool, const std::vector<Spec>& specs, const std::vector<std::int32_t>& labels,
                           std::size_t samples, std::size_t threads) {
    std::vector<double> values(samples * specs.size() * pool.runs.size() * pool.topics.size(), -1e300);
    const std::vector<char> count_missing(specs.size(), 0);
    std::vector<std::size_t> runs(pool.runs.size());
    for (std::size_t run = 0; run < runs.size(); ++run) runs[run] = run;
    score(pool, specs, count_missing, Samples{labels.data(), nullptr, samples, pool.distinct_labels}, runs, threads,
          values.data());
    return values;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void check_values(const std::vector<double>& values, const std::vector<Spec>& specs, std::size_t cells) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& kernel = specs[i / cells % specs.size()].kernel;
        if (!std::isfinite(values[i])) std::fprintf(stderr, "%s: %g\n", kernel.c_str(), values[i]);
        CHECK(std::isfinite(values[i]));
        if (!find_entry(kernel)->takes.share) continue;
        if (!(values[i] >= -1e-9 && values[i] <= 1 + 1e-4))
            std::fprintf(stderr, "%s: %.17g\n", kernel.c_str(), values[i]);
        CHECK(values[i] >= -1e-9 && values[i] <= 1 + 1e-4);  // infAP is smoothed by 1e-5
    }
}

// The same lines, last first.
std::string reversed(const std::string& text) {
    std::string result;
    for (std::size_t end = text.size(); end > 0;) {
        const std::size_t newline = end < 2 ? text.npos : text.rfind('\n', end - 2);
        const std::size_t begin = newline == text.npos ? 0 : newline + 1;
        result.append(text, begin, end - begin);
        if (result.back() != '\n') result += '\n';
        end = begin;
    }
    return result;
}

void check_orders(const Campaign& campaign, const Reading& how, const std::vector<Spec>& specs,
                  const std::vector<std::int32_t>& labels, std::size_t samples, const std::vector<double>& values,
                  const fuzz::Choices& choices) {
    Campaign other{reversed(campaign.judgments), {}};
    for (const std::string& run : campaign.runs) other.runs.push_back(reversed(run));
    // Of repeated documents the first in the one order is the last in the other; a byte order mark at a line's start is
    // skipped only where the line is the first.
    const auto marked = [](const std::string& text) { return text.find("\xEF\xBB\xBF") != text.npos; };
    if (how.keep_first || marked(campaign.judgments)) return;
    if (std::any_of(campaign.runs.begin(), campaign.runs.end(), marked)) return;
    const auto pool = read(other, how, choices);
    CHECK(pool != nullptr);
    CHECK(same_bits(values, scores(*pool, specs, labels, samples, 1)));
}

// Many samples at once give the bits of each alone.
void check_together(const Pool& pool, const std::vector<Spec>& specs, fuzz::Choices& choices) {
    const std::size_t samples = SampleLists::worth + choices.below(SampleLists::most);
    const std::vector<std::int32_t> labels = random_samples(pool, samples, choices);
    const std::vector<double> together = scores(pool, specs, labels, samples, 1);
    const std::size_t listed = pool.offsets.back(), each = together.size() / samples;
    for (std::size_t sample = 0; sample < samples; ++sample) {
        const auto begin = static_cast<std::ptrdiff_t>(sample * listed);
        const std::vector<std::int32_t> own(labels.begin() + begin,
                                            labels.begin() + begin + static_cast<std::ptrdiff_t>(listed));
        const auto first = together.begin() + static_cast<std::ptrdiff_t>(sample * each);
        CHECK(same_bits({first, first + static_cast<std::ptrdiff_t>(each)}, scores(pool, specs, own, 1, 1)));
    }
}

void check_pools(const Pool& a, const Pool& b) {
    for (std::uint32_t t = 0; t < a.topics.size(); ++t) {
        const Names &x = a.topics[t]->documents, &y = b.topics[t]->documents;
        CHECK(x.size() == y.size());
        for (std::uint32_t d = 0; d < x.size(); ++d) CHECK(x[d] == y[d]);
    }
    for (std::size_t r = 0; r < a.runs.size(); ++r) CHECK(a.runs[r].all == b.runs[r].all);
}

}  // namespace

static void check_outside(const Pool& pool, const std::int32_t* all_labels, fuzz::Choices& choices) {
    const std::uint32_t own = 1 + choices.below(6), depth = own + choices.below(6);
    for (std::uint32_t topic = 0; topic < pool.topics.size(); ++topic) {
        const std::int32_t* const labels = all_labels + pool.offsets[topic];
        const std::vector<std::uint32_t> counts = retrieving_runs(pool, topic, depth);
        const std::size_t listed = pool.topics[topic]->listed;
        std::vector<double> p(listed), rates(counts.size(), 0.0);
        double relevant = 0.0;
        for (std::size_t d = 0; d < counts.size(); ++d) {
            CHECK(counts[d] <= pool.runs.size());
            const bool is_outside = d >= listed || labels[d] == outside;
            if (d < listed && !is_outside) relevant += p[d] = labels[d] == pooled ? 0.25 : labels[d] > 0;
            if (is_outside && counts[d] > 0) rates[d] = 0.25 * static_cast<double>(1 + choices.below(2));
        }
        std::vector<double> twice(rates);
        for (double& rate : twice) rate *= 2.0;
        const double unit = 1.0;
        OtherDocuments once(pool, topic, own, {rates.data(), rates.size(), 1});
        OtherDocuments more(pool, topic, own, {twice.data(), rates.size(), 1});
        const auto divisor = [&](const std::vector<double>& mass) { return std::max(relevant + mass[0], 1.0); };
        OpenDocuments places(pool, own, false);
        PrecisionRange reach;
        PrecisionSum a, b;
        for (std::int32_t first = 0; first < static_cast<std::int32_t>(pool.runs.size()); ++first)
            for (std::int32_t second = -1; second < first; ++second) {
                a.look(pool, first, topic, 1 + choices.below(8), p.data());
                b.look(pool, second, topic, 1 + choices.below(8), p.data());
                const auto pull_a = [&](std::uint32_t rank) { return a.growth(rank); };
                const auto pull_b = [&](std::uint32_t rank) { return b.growth(rank); };
                once.look(first, second, pull_a, pull_b);
                more.look(first, second, pull_a, pull_b);
                const double total = a.total() - b.total(), start = total / std::max(relevant, 1.0);
                const auto& open = places.of(topic, first, second, labels);
                for (const double sign : {-1.0, 1.0}) {
                    const double far = once.farthest(sign, start, total, &unit, divisor);
                    CHECK(std::isfinite(far) && sign * (far - start) >= 0.0);
                    CHECK(sign * (more.farthest(sign, start, total, &unit, divisor) - far) >= -1e-9);
                    const double end = reach.farthest(sign, a, b, relevant, open);
                    CHECK(std::isfinite(end) && sign * (end - start) >= -1e-12);
                }
            }
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    fuzz::Choices choices(text);
    const Campaign campaign = divided(text);
    const std::uint32_t depth =
        choices.below(4) == 0 ? 1 + choices.below(4) : std::numeric_limits<std::uint32_t>::max();
    Reading how{choices.coin(), choices.below(4) == 0, depth, 0, 1};
    const auto pool = read(campaign, how, choices);
    if (pool == nullptr || pool->topics.empty()) return 0;

    const std::size_t samples = 3;
    const std::vector<Spec> specs = random_specs(*pool, choices);
    const std::vector<std::int32_t> labels = random_samples(*pool, samples, choices);
    const std::vector<double> values = scores(*pool, specs, labels, samples, 1);
    check_values(values, specs, std::max<std::size_t>(1, pool->runs.size() * pool->topics.size()));
    check_orders(campaign, how, specs, labels, samples, values, choices);
    check_outside(*pool, labels.data(), choices);
    if (choices.below(4) == 0) check_together(*pool, specs, choices);

    how.longest = 1 + choices.below(300);
    how.keep_all = !how.keep_all;
    how.threads = choices.below(4) == 0 ? 2 : 1;
    const auto again = read(campaign, how, choices);
    CHECK(again != nullptr);
    CHECK(same_bits(values, scores(*again, specs, labels, samples, how.threads)));
    if (how.threads == 2 && how.keep_all) {
        how.threads = 1;
        check_pools(*again, *read(campaign, how, choices));
    }
    return 0;
}
